import RepriseEventStore
import RepriseLMDB
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import RepriseTestSeeds
import XCTest

/// Wherever long values lie, objects are what they are in memory.
final class LongValueRandomTests: XCTestCase {
  private struct Facts: Equatable {
    var name = ""
    var value = 0
    var photo: [UInt8]?
  }

  private typealias State = [UniqueID: Facts]

  /// Texts and bytes grow and shrink across the limits, objects go and come back, the store is closed, compacted,
  /// rebuilt and shortened: the past and the present read as they were.
  func testLongValuesReadAsTheyWereWhateverBecomesOfThem() async throws {
    for (round, seed) in testSeeds(4).enumerated() {
      try await run(seed, [KeyframeSpacing(), .frequent(3)][round % 2])
      if testRun?.failureCount ?? 0 > 0 { return }
    }
  }

  private func run(_ seed: UInt64, _ keyframes: KeyframeSpacing) async throws {
    var random = SeededGenerator(seed: seed)
    let opened = try TestStore(
      windowBudget: [0, 40_000, nil].randomElement(using: &random) ?? nil, keyframes: keyframes)
    var context = RootContext(opened.store, isolation: nil)
    var pinned: (context: RootContext, state: State)?
    let ids = (0..<3).map { context.insert(Item(name: "\($0)")).id }
    var states: [Position: State] = [:]
    states[try await context.save()] = Self.state(context, ids)
    for step in 0..<200 {
      let expected = try edit(ids, context, states, &random)
      if !context.hasChanges { continue }
      let position = try await context.save()
      states[position] = Self.state(context, ids)
      if let expected { XCTAssertEqual(states[position], expected, "seed \(seed), step \(step)") }
      if step % 11 == 3, pinned == nil {
        let reader = RootContext(opened.store, isolation: nil)
        reader.followsHead = false
        pinned = (reader, Self.state(context, ids))
      } else if step % 11 == 9, let behind = pinned {
        // It reads what it has not read yet as it was.
        XCTAssertEqual(Self.state(behind.context, ids), behind.state, "seed \(seed), step \(step), behind the head")
        pinned = nil
      }
      try compareFetches(context, ids, states[position] ?? [:], "seed \(seed), step \(step)")
      if testRun?.failureCount ?? 0 > 0 { return }
      guard step % 40 == 39 else { continue }
      pinned = nil
      try check(opened.store, ids, states, "seed \(seed), step \(step)")
      try await reopen(opened, &random)
      context = RootContext(opened.store, isolation: nil)
      XCTAssertEqual(Self.state(context, ids), states[position], "seed \(seed), step \(step), opened again")
      XCTAssertEqual(try StoreMaintenance.verifyNow(opened.store).problems, [], "seed \(seed), step \(step)")
      try check(opened.store, ids, states, "seed \(seed), step \(step), opened again")
      if testRun?.failureCount ?? 0 > 0 { return }
    }
  }

  private func reopen(_ opened: TestStore, _ random: inout SeededGenerator) async throws {
    try await opened.store.close()
    if Bool.random(using: &random) { try await StoreMaintenance.compact(opened.path) }
    if Bool.random(using: &random) { _ = try await StoreMaintenance.rebuild(opened.path) }
    try opened.open()
    if Bool.random(using: &random) {
      try await opened.store.log.retain(.last(Int.random(in: 20...100, using: &random)))
    }
  }

  /// Returns what the objects are to be then, unless it is the library that says.
  private func edit(
    _ ids: [Item.ID], _ context: RootContext, _ states: [Position: State], _ random: inout SeededGenerator
  ) throws -> State? {
    let id = ids[Int.random(in: 0..<ids.count, using: &random)]
    var state = states[context.position] ?? [:]
    guard let item = context.find(id) else {
      let deletion = try context.store.log.history(of: id.any, limit: 1).first
      if let deletion { try context.revert(transactionAt: deletion.position) }
      return nil
    }
    var facts = state[id.any.uuid] ?? Facts()
    switch Int.random(in: 0..<14, using: &random) {
    case 0:
      context.delete(item)
      state[id.any.uuid] = nil
      return state
    case 1:
      // Undone past the save.
      guard let last = try context.store.log.history(of: id.any, limit: 1).first, last.position > 2 else { return nil }
      _ = try? context.revert(transactionAt: last.position)
      return nil
    case 2...5:
      var text = Array(facts.name.unicodeScalars)
      let place = Int.random(in: 0...text.count, using: &random)
      text.replaceSubrange(
        place..<min(text.count, place + Int.random(in: 0...4, using: &random)), with: "é\(place)".unicodeScalars)
      facts.name = String(String.UnicodeScalarView(text))
    case 6:
      let count = [0, 10, 4_095, 4_097, 8_191, 8_192, 20_000].randomElement(using: &random) ?? 0
      facts.name = String(
        (0..<count).map { _ in Character(Unicode.Scalar(UInt8.random(in: 97...122, using: &random))) })
    case 7: facts.name = String(facts.name.dropFirst(Int.random(in: 0...6_000, using: &random)))
    case 8: facts.name += facts.name.prefix(9_000)
    case 9: facts.photo = nil
    case 10:
      let count = [0, 5_000, 9_000, 30_000].randomElement(using: &random) ?? 0
      facts.photo = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    case 11:
      guard var photo = facts.photo, !photo.isEmpty else { return nil }
      let place = Int.random(in: 0..<photo.count, using: &random)
      photo.replaceSubrange(place..<min(photo.count, place + 3_000), with: [1, 2, 3])
      facts.photo = photo
    default: facts.value = Int.random(in: 0..<1_000, using: &random)
    }
    if item.name != facts.name { item.name = facts.name }
    if item.photo != facts.photo { item.photo = facts.photo }
    if item.valueInDollars != facts.value { item.valueInDollars = facts.value }
    state[id.any.uuid] = facts
    return state
  }

  private static func state(_ context: ObjectContext, _ ids: [Item.ID]) -> State {
    var state: State = [:]
    for id in ids {
      guard let item = context.find(id) else { continue }
      state[id.any.uuid] = Facts(name: item.name, value: item.valueInDollars, photo: item.photo)
    }
    return state
  }

  private func check(_ store: Store, _ ids: [Item.ID], _ states: [Position: State], _ message: String) throws {
    let floor = try store.log.firstPosition
    for (position, state) in states where position + 1 >= floor {
      XCTAssertEqual(Self.state(try store.context(at: position), ids), state, "\(message), at \(position)")
      if testRun?.failureCount ?? 0 > 0 { return }
    }
  }

  /// By a scan and an index, of what was read and of what was not.
  private func compareFetches(_ context: RootContext, _ ids: [Item.ID], _ state: State, _ message: String) throws {
    let fresh = RootContext(context.store, isolation: nil)
    let some = state.values.map(\.name).max() ?? ""
    for context in [context, fresh] {
      let byName = try context.fetch(Fetch<Item> { $0.name == some }).map(\.id.any.uuid)
      XCTAssertEqual(Set(byName), Set(state.filter { $0.value.name == some }.keys), message)
      let byValue = try context.fetch(Fetch<Item> { $0.isInsured == false && $0.valueInDollars >= 500 })
      XCTAssertEqual(
        Set(byValue.map { Facts(name: $0.name, value: $0.valueInDollars, photo: $0.photo) }.map(\.name)),
        Set(state.values.filter { $0.value >= 500 }.map(\.name)), message)
      XCTAssertEqual(try context.count(Fetch<Item> { $0.photo == nil }), state.values.filter { $0.photo == nil }.count)
      let sorted = try context.fetchValues(Fetch<Item>(), { $0.name }).map(\.values)
      XCTAssertEqual(sorted.map { $0 ?? "" }.sorted(), state.values.map(\.name).sorted(), message)
    }
  }
}
