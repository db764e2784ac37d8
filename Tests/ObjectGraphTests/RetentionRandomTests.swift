import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import RepriseTestSeeds
import XCTest

/// A store of which the beginning is dropped now and then, against all states that it ever had.
final class RetentionRandomTests: XCTestCase {
  private struct Facts: Equatable {
    let name: String
    let value: Int
    let owner: Person.ID?
  }

  private typealias State = [Item.ID: Facts]

  private static func state(_ context: ObjectContext) throws -> State {
    var found: State = [:]
    for item in try context.fetch(Fetch<Item>()) {
      found[item.id] = Facts(name: item.name, value: item.valueInDollars, owner: item.owner?.id)
    }
    return found
  }

  func testWhateverIsDroppedThePastFromTheFloorOnIsAsItWas() async throws {
    for seed in testSeeds(12) {
      try await run(seed)
      if testRun?.failureCount ?? 0 > 0 { return }
    }
  }

  private func run(_ seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let message = "seed \(seed)"
    let opened = try TestStore(
      windowBudget: Bool.random(using: &random) ? 0 : nil, cleaningDelay: 0,
      keyframes: Bool.random(using: &random) ? .frequent() : KeyframeSpacing())
    var states: [Position: State] = [opened.store.log.head: [:]]
    var floor: Position = 1
    var context = RootContext(opened.store, author: "Ada", isolation: nil)
    context.undoesSaves = true
    var desk: RootContext?
    var held: PastContext?
    for _ in 0..<60 {
      switch Int.random(in: 0..<14, using: &random) {
      case 0:
        // Known to the log, and then dropped, deleted or taken back like any other.
        _ = context.insert(Person(name: "\(states.count)"))
        fallthrough
      case 1...6:
        for _ in 0..<Int.random(in: 1...4, using: &random) { try edit(context, &random) }
        let position = try await context.save("Edit")
        states[position] = try Self.state(context)
      case 7:
        if Bool.random(using: &random) { context.undo() } else { context.redo() }
        if context.hasChanges {
          let position = try await context.save("Undo")
          states[position] = try Self.state(context)
        }
      case 8:
        if desk == nil { desk = try RootContext(opened.store, author: "Bob", draft: "desk", isolation: nil) }
        if let desk { try edit(desk, &random) }
      case 9:
        held = Bool.random(using: &random) ? nil : try past(floor, opened.store, &random)
      case 10...11:
        let head = opened.store.log.head
        let wanted = Position(UInt64.random(in: floor.number...head.number, using: &random))
        let isByNumber = Bool.random(using: &random)
        let report = try await opened.store.log.retain(
          isByNumber ? .last(1 + wanted.distance(to: head)) : .from(wanted))
        let lowest = held.map { min($0.position + 1, wanted) } ?? wanted
        if desk == nil { XCTAssertEqual(report.firstPosition, max(lowest, floor), message) }
        XCTAssertLessThanOrEqual(report.firstPosition, max(wanted, floor), message)
        XCTAssertGreaterThanOrEqual(report.firstPosition, floor, message)
        floor = report.firstPosition
      case 12:
        try await opened.store.close()
        (desk, held) = (nil, nil)
        if Bool.random(using: &random) { _ = try await StoreMaintenance.rebuild(opened.path) }
        if Bool.random(using: &random) { try await StoreMaintenance.compact(opened.path) }
        try opened.open()
        context = RootContext(opened.store, author: "Ada", isolation: nil)
        context.undoesSaves = true
      default:
        await opened.store.abandon()
        (desk, held) = (nil, nil)
        try opened.open()
        context = RootContext(opened.store, author: "Ada", isolation: nil)
        context.undoesSaves = true
      }
      try check(opened.store, floor, states, &random, message)
      if let held { XCTAssertEqual(try Self.state(held), states[last(held.position, states)] ?? [:], message) }
      if testRun?.failureCount ?? 0 > 0 { return }
    }
    XCTAssertEqual(try StoreMaintenance.verifyNow(opened.store).problems, [], message)
    try await opened.store.close()
  }

  /// Other transactions than those of the test declare models, or are Bob's.
  private func last(_ position: Position, _ states: [Position: State]) -> Position {
    states.keys.filter { $0 <= position }.max() ?? 0
  }

  private func past(
    _ floor: Position, _ store: Store, _ random: inout SeededGenerator
  ) throws -> PastContext {
    try store.context(at: Position(UInt64.random(in: (floor - 1).number...store.log.head.number, using: &random)))
  }

  private func check(
    _ store: Store, _ floor: Position, _ states: [Position: State], _ random: inout SeededGenerator, _ message: String
  ) throws {
    XCTAssertEqual(try store.log.firstPosition, floor, message)
    for _ in 0..<3 {
      let past = try past(floor, store, &random)
      XCTAssertEqual(try Self.state(past), states[last(past.position, states)] ?? [:], "\(message) at \(past.position)")
    }
    if floor > 2 {
      let early = Position(UInt64.random(in: 0...(floor - 2).number, using: &random))
      XCTAssertThrowsError(try store.context(at: early), message) { error in
        guard case StoreError.truncated(_, early, floor) = error else { return XCTFail("\(message): \(error)") }
      }
    }
    XCTAssertEqual(try store.log.transactions(after: floor - 1, limit: 1_000).first?.position, floor, message)
    if Int.random(in: 0..<4, using: &random) == 0 {
      XCTAssertEqual(try StoreMaintenance.verifyNow(store).problems, [], message)
    }
  }

  private func edit(_ context: RootContext, _ random: inout SeededGenerator) throws {
    let live = try context.fetch(Fetch<Item>())
    let owner = try context.fetch(Fetch<Person>()).randomElement(using: &random)
    let text = String(
      repeating: "\(Int.random(in: 0..<9, using: &random))", count: Int.random(in: 1...60, using: &random))
    switch Int.random(in: 0..<7, using: &random) {
    case 0, 1: context.insert(Item(name: text, valueInDollars: 3)).owner = owner
    case 2: live.randomElement(using: &random)?.name += text
    case 3: live.randomElement(using: &random)?.valueInDollars = Int.random(in: 1...5, using: &random)
    case 4: live.randomElement(using: &random)?.owner = owner
    case 5: if let item = live.randomElement(using: &random), live.count > 2 { context.delete(item) }
    default: if let owner, Bool.random(using: &random) { context.delete(owner) }
    }
  }
}
