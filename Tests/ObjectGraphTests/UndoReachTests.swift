import RepriseEventStore
import RepriseObjectModel
import RepriseTestModels
import RepriseTestSeeds
import XCTest

@testable import RepriseObjectGraph

/// Undo and redo over a log that is long.
@MainActor
final class UndoReachTests: XCTestCase {
  private var test: TestStore!
  private var context: RootContext!
  private var item: Item!

  override func setUp() async throws {
    test = try TestStore()
    context = RootContext(test.store, author: "Ada")
    context.undoesSaves = true
    item = context.insert(Item(name: "item"))
    try await context.save()
  }

  private func edit(_ count: Int) async throws {
    for number in 1...count {
      item.valueInDollars = number
      try await context.save()
    }
  }

  func testUndoAndRedoOfSavesGoFromOneEndOfTheLogToTheOther() async throws {
    let count = 5_050
    try await edit(count)
    for number in (0..<count).reversed() {
      context.undo()
      guard item.valueInDollars == number else { return XCTFail("undo ended at \(item.valueInDollars)") }
      try await context.save()
    }
    context.undo()
    XCTAssertNil(context.find(item.id))
    context.redo()
    for number in 1...count {
      context.redo()
      guard item.valueInDollars == number else { return XCTFail("redo ended at \(item.valueInDollars)") }
    }
    XCTAssertFalse(context.canRedo)
    // Each a transaction of its own.
    let head = test.store.log.head
    let saved = try await context.save()
    XCTAssertEqual(saved, head + count)
    XCTAssertFalse(context.canRedo)
  }

  func testUndoneSavesAreNotLookedAtAgainForTheNextStep() async throws {
    try await edit(200)
    for _ in 0..<150 {
      context.undo()
      try await context.save()
    }
    for _ in 0..<100 {
      context.redo()
      try await context.save()
    }
    XCTAssertEqual(item.valueInDollars, 150)
    // Each transaction once, each reversal's target and what that took back as well.
    XCTAssertLessThan(try XCTUnwrap(context.knownUndo).looked, 4 * 451)
  }

  func testAFirstUndoLooksNoFurtherThanItsStep() async throws {
    try await edit(100)
    context = RootContext(test.store, author: "Ada")
    context.undoesSaves = true
    XCTAssertTrue(context.canUndo)
    XCTAssertEqual(context.knownUndo?.looked, 1)
    for _ in 0..<10 { context.undo() }
    XCTAssertEqual(item.valueInDollars, 100)
    XCTAssertEqual(context.knownUndo?.looked, 10)
    let other = RootContext(test.store, author: "Bob")
    other.undoesSaves = true
    XCTAssertFalse(other.canUndo)
    XCTAssertFalse(other.canRedo)
    XCTAssertEqual(other.knownUndo?.looked, Int(test.store.log.head.number), "the whole log, once")
  }

  func testOthersSavesDoNotHideWhatCanBeUndone() async throws {
    try await edit(2)
    let bob = RootContext(test.store, author: "Bob")
    let other = bob.insert(Item(name: "Bob's"))
    for number in 1...3_000 {
      other.valueInDollars = number
      try await bob.save()
    }
    try context.refresh()
    context.undo()
    XCTAssertEqual(item.valueInDollars, 1)
    try await context.save()
    context.redo()
    XCTAssertEqual(item.valueInDollars, 2)
  }

  // MARK: Against stacks that are made anew

  func testWhatIsAddedToStacksLeadsToThoseThatAreMadeAnew() async throws {
    for seed in testSeeds(6) { try await run(seed) }
  }

  private func run(_ seed: UInt64) async throws {
    test = try TestStore()
    let store = test.store
    var random = SeededGenerator(seed: seed)
    let writers = ["Ada", "Bob"].map { RootContext(store, author: $0) }
    for writer in writers {
      writer.undoesSaves = true
      writer.mergePolicy = .mine
    }
    let items = (0..<4).map { writers[0].insert(Item(name: "\($0)")).id }
    try await writers[0].save()
    var kept = UndoableTransactions(by: .author("Ada"))
    for step in 0..<150 {
      let writer = writers[Int.random(in: 0..<3, using: &random) / 2]
      try writer.refresh()
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<4: writer.find(items.randomElement(using: &random)!)?.valueInDollars += step
      case 4..<6: writer.undo()
      case 6..<8: writer.redo()
      default:
        let position = Position(UInt64.random(in: 2...store.log.head.number, using: &random))
        // Of some nothing is left.
        _ = try? writer.revert(transactionAt: position)
      }
      try await writer.save()
      if Int.random(in: 0..<3, using: &random) > 0 { continue }
      // As a context asks: for the next ones, sometimes for more.
      let wanted = Int.random(in: 1...10, using: &random)
      try store.log.look(for: &kept, upTo: store.log.head) { $0.undo.count >= wanted }
      let expected = try Stacks(of: "Ada", store)
      let message = "seed \(seed), step \(step)"
      let undo = kept.undo.steps.map(\.position)
      XCTAssertEqual(undo, Array(expected.undo.prefix(undo.count)), message)
      XCTAssertGreaterThanOrEqual(undo.count, min(wanted, expected.undo.count), message)
      try store.log.look(for: &kept, upTo: store.log.head) { $0.hasEdit }
      XCTAssertEqual(kept.redo.steps.map(\.position), expected.redo, message)
      if testRun?.totalFailureCount ?? 0 > 0 { return }
    }
  }
}

/// What can be undone and redone, from all transactions.
private struct Stacks {
  private(set) var undo: [Position] = []
  private(set) var redo: [Position] = []

  init(of author: String, _ store: Store) throws {
    let all = try store.log.transactions(after: 0, limit: .max)
    let byPosition = Dictionary(uniqueKeysWithValues: all.map { ($0.position, $0) })
    func isUndo(_ transaction: LoggedTransaction) -> Bool {
      guard let target = transaction.undoes.flatMap({ byPosition[$0] }), target.author == transaction.author else {
        return false
      }
      return !isUndo(target)
    }
    func isEdit(_ transaction: LoggedTransaction) -> Bool {
      transaction.undoes.flatMap { byPosition[$0] }?.author != transaction.author
    }
    var takers: [Position: LoggedTransaction] = [:]
    var hasEdit = false
    for transaction in all.reversed() {
      let taker = takers[transaction.position]
      if let target = transaction.undoes, takers[target] == nil {
        if let taker {
          if taker.author == byPosition[target]?.author { takers[target] = taker }
        } else {
          takers[target] = transaction
        }
      }
      guard transaction.author == author else { continue }
      if isUndo(transaction) {
        if taker == nil, !hasEdit { redo.append(transaction.position) }
      } else if taker == nil {
        undo.append(transaction.position)
      }
      if isEdit(transaction) { hasEdit = true }
    }
  }
}
