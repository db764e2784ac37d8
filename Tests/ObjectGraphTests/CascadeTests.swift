import RepriseEventStore
import RepriseObjectModel
import RepriseQuery
import XCTest

@testable import RepriseObjectGraph

/// Deletions that concern more objects than one save may have.
final class CascadeTests: XCTestCase {
  private var test: TestStore!

  override func setUpWithError() throws {
    test = try TestStore(Schema(Shelf.self, Box.self, Label.self, Part.self, Maker.self, Loan.self))
  }

  // Test cases live as long as the process, and each store takes address space.
  override func tearDown() { test = nil }

  private func shelf(_ boxes: Int, parts: Int, _ root: RootContext) -> Shelf {
    let shelf = root.insert(Shelf())
    let labels = (0..<3).map { _ in root.insert(Label()) }
    for _ in 0..<boxes {
      let box = root.insert(Box())
      box.shelf = shelf
      for label in labels { box.labels.insert(label) }
      for _ in 0..<parts { root.insert(Part()).box = box }
    }
    return shelf
  }

  /// - Parameter limit: The most events of a save.
  @discardableResult
  private func delete<Model: PersistentModel>(
    _ fetch: Fetch<Model>, limit: Int, size: Int = 1_000, _ progress: (BatchProgress) -> Void = { _ in }
  ) async throws -> BatchProgress {
    let context = RootContext(test.store, isolation: nil)
    let head = test.store.log.head
    defer { XCTAssertFalse(context.hasChanges) }
    let done = try await context.deleteInBatches(of: size, fetch, name: "Delete", limit: limit, progress: progress)
    for transaction in try test.store.log.transactions(after: head) where transaction.name == "Delete" {
      // Pairs are shown as changes of the objects at both ends.
      XCTAssertLessThanOrEqual(transaction.changes.count, limit + 1)
    }
    let report = try await StoreMaintenance.verify(test.store)
    XCTAssertTrue(report.isSound, report.description)
    return done
  }

  private func counts() throws -> [Int] {
    let context = RootContext(test.store)
    return try [
      context.count(Fetch<Shelf>()), context.count(Fetch<Box>()), context.count(Fetch<Part>()),
      context.count(Fetch<Label>()), context.count(Fetch<Maker>()),
    ]
  }

  func testEachSaveOfALargeDeletionKeepsTheRules() async throws {
    let root = RootContext(test.store)
    _ = shelf(30, parts: 3, root)
    let one = root.insert(Box())
    for _ in 0..<90 { root.insert(Part()).box = one }
    try await root.save()
    var saved: [Int] = []
    let done = try await delete(Fetch<Shelf>(), limit: 20, size: 7) { saved.append($0.saved) }
    // The links to the labels, too.
    XCTAssertEqual(done.saved, 1 + 30 * (1 + 3 + 3))
    XCTAssertEqual(saved.last, done.saved)
    XCTAssertEqual(try counts(), [0, 1, 90, 3, 0])
    // More members than a save may have, down to the least number that the box must have.
    try await delete(Fetch<Box>(), limit: 20)
    XCTAssertEqual(try counts(), [0, 0, 0, 3, 0])
  }

  func testALargeDeletionThatARuleDeniesDeletesNothing() async throws {
    let root = RootContext(test.store)
    _ = shelf(20, parts: 2, root)
    try await root.save()
    let loan = root.insert(Loan())
    loan.part = try root.first(Fetch<Part>())
    try await root.save()
    let head = test.store.log.head
    do {
      try await delete(Fetch<Shelf>(), limit: 10)
      XCTFail("deleted")
    } catch SaveError.refused(let refusal) {
      XCTAssertEqual(refusal.violations.map(\.rule), [.deny])
    }
    XCTAssertEqual(test.store.log.head, head)
    XCTAssertEqual(try counts(), [1, 20, 40, 3, 0])
  }

  /// As another process: that part may not be deleted from now on.
  private func lendAPart() throws {
    let part = try XCTUnwrap(RootContext(test.store).fetch(Fetch<Part>()).last).id.any
    var loan = Loan.entity.defaults
    loan[0] = .reference(part)
    try test.store.appendAsAnotherProcess([(AnyObjectID(Loan.entity.interned, UniqueID()), .inserted(loan))])
  }

  func testADeletionThatAnotherProcessStopsHalfwaySaysSo() async throws {
    let root = RootContext(test.store)
    _ = shelf(30, parts: 2, root)
    try await root.save()
    var saved = 0
    do {
      try await delete(Fetch<Shelf>(), limit: 20, size: 7) { progress in
        saved = progress.saved
        if progress.batches == 1 { do { try lendAPart() } catch { XCTFail("\(error)") } }
      }
      XCTFail("deleted")
    } catch SaveError.savedInPart(let count, _, .refused(let refusal)) {
      XCTAssertEqual(count, saved)
      XCTAssertEqual(refusal.violations.map(\.rule), [.deny])
    }
    let left = try counts()
    XCTAssertEqual(left[0], 1)
    XCTAssertTrue(0 < left[2] && left[2] < 60, "\(left)")
    let report = try await StoreMaintenance.verify(test.store)
    XCTAssertTrue(report.isSound, report.description)
    // Nothing more goes while the loan is there, and the rest once it is not.
    do {
      try await delete(Fetch<Shelf>(), limit: 10)
      XCTFail("deleted")
    } catch SaveError.refused {}
    XCTAssertEqual(try counts(), left)
    let context = RootContext(test.store)
    for loan in try context.fetch(Fetch<Loan>()) { context.delete(loan) }
    try await context.save()
    try await delete(Fetch<Shelf>(), limit: 20)
    XCTAssertEqual(try counts(), [0, 0, 0, 3, 0])
  }

  func testADeletionThatARuleStopsAfterABatchSaysSo() async throws {
    let root = RootContext(test.store)
    let parts = (0..<3).map { _ in root.insert(Part()) }
    let loan = root.insert(Loan())
    loan.part = parts[2]
    try await root.save()
    do {
      try await delete(Fetch<Part>(), limit: 10, size: 2)
      XCTFail("deleted")
    } catch SaveError.savedInPart(count: 2, let position, .refused(let refusal)) {
      XCTAssertEqual(position, test.store.log.head)
      XCTAssertEqual(refusal.violations.map(\.rule), [.deny])
    }
    XCTAssertEqual(try counts()[2], 1)
  }

  func testMoreReferencesAreEmptiedThanASaveMayHave() async throws {
    let root = RootContext(test.store)
    let maker = root.insert(Maker())
    _ = shelf(20, parts: 2, root)
    for part in try root.fetch(Fetch<Part>()) { part.maker = maker }
    let label = root.insert(Label())
    for box in try root.fetch(Fetch<Box>()) { label.boxes.insert(box) }
    try await root.save()
    try await delete(Fetch<Maker>(), limit: 10)
    XCTAssertEqual(try counts(), [1, 20, 40, 4, 0])
    XCTAssertTrue(try RootContext(test.store).fetch(Fetch<Part>()).allSatisfy { $0.maker == nil })
    try await delete(Fetch<Label>(), limit: 10)
    XCTAssertEqual(try counts(), [1, 20, 40, 0, 0])
    XCTAssertTrue(try RootContext(test.store).fetch(Fetch<Box>()).allSatisfy { $0.labels.isEmpty })
  }

  func testARingOfCascadesIsDeletedInParts() async throws {
    let root = RootContext(test.store)
    let parts = (0..<50).map { _ in root.insert(Part()) }
    for (place, part) in parts.enumerated() { part.next = parts[(place + 1) % parts.count] }
    let apart = root.insert(Part())
    try await root.save()
    let first = parts[0].id
    try await delete(Fetch<Part> { $0.id == first }, limit: 10)
    XCTAssertEqual(try RootContext(test.store).fetch(Fetch<Part>()).map(\.id), [apart.id])
  }

  private static func box(in shelf: AnyObjectID) -> [(object: AnyObjectID, change: ObjectChange)] {
    let box = AnyObjectID(Box.entity.interned, UniqueID())
    var values = Box.entity.defaults
    values[0] = .reference(shelf)
    var changes: [(object: AnyObjectID, change: ObjectChange)] = [(box, .inserted(values))]
    for _ in 0..<2 {
      var values = Part.entity.defaults
      values[0] = .reference(box)
      changes.append((AnyObjectID(Part.entity.interned, UniqueID()), .inserted(values)))
    }
    return changes
  }

  func testWhatOthersAddToALargeDeletionGoesWithIt() async throws {
    let root = RootContext(test.store)
    let shelf = shelf(30, parts: 2, root)
    try await root.save()
    var isAdded = false
    let (store, id) = (test.store, shelf.id.any)
    try await delete(Fetch<Shelf>(), limit: 20, size: 7) { _ in
      if isAdded { return }
      isAdded = true
      do { try store.appendAsAnotherProcess(Self.box(in: id)) } catch { XCTFail("\(error)") }
    }
    XCTAssertTrue(isAdded)
    XCTAssertEqual(try counts(), [0, 0, 0, 3, 0])
  }

  func testACancelledLargeDeletionIsResumedByTheNext() async throws {
    let root = RootContext(test.store)
    _ = shelf(30, parts: 2, root)
    try await root.save()
    do {
      try await delete(Fetch<Shelf>(), limit: 20, size: 7) { progress in
        if progress.batches == 4 { withUnsafeCurrentTask { $0?.cancel() } }
      }
      XCTFail("not cancelled")
    } catch is CancellationError {}
    XCTAssertEqual(try counts()[0], 1)
    let store = test.store
    _ = try await Task { try await BackgroundContext(store).deleteAll(Fetch<Shelf>()) }.value
    XCTAssertEqual(try counts(), [0, 0, 0, 3, 0])
  }
}
