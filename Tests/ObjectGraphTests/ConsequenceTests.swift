import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

/// What a save would do to what others made of it meanwhile is said before, and not done without a word.
@MainActor
final class ConsequenceTests: XCTestCase {
  private struct Found {
    let shed: Shed.ID
    let red: Bicycle.ID
    let blue: Bicycle.ID
    let lock: Lock.ID
    let free: Lock.ID
    let key: Key.ID
  }

  /// A shed; two bicycles, one with a lock; a lock that nobody has; a key to nothing.
  private func forRootsAndChildren(_ body: @MainActor (TwoEditors, Found) async throws -> Void) async throws {
    for isChild in [false, true] {
      let test = try TestStore(Schema(Bicycle.self, Lock.self, Key.self, Shed.self))
      let root = RootContext(test.store)
      root.followsHead = false
      let shed = root.insert(Shed())
      let (red, blue) = (root.insert(Bicycle(name: "red")), root.insert(Bicycle(name: "blue")))
      red.lock = Lock(code: 1)
      let free = root.insert(Lock(code: 2))
      let key = root.insert(Key())
      try await root.save()
      let found = Found(
        shed: shed.id, red: red.id, blue: blue.id, lock: try XCTUnwrap(red.lock?.id), free: free.id, key: key.id)
      let pair = TwoEditors(root, isChild: isChild)
      try await body(pair, found)
      if isChild { try await root.save() }
      let report = try await StoreMaintenance.verify(test.store)
      XCTAssertTrue(report.isSound, report.description)
    }
  }

  private func expectRefusal(_ pair: TwoEditors, _ expected: [Conflict]) async throws {
    XCTAssertEqual(try pair.mine.conflicts(), expected)
    do {
      try await pair.saveMine()
      XCTFail("saved")
    } catch SaveError.refused(let refusal) {
      XCTAssertEqual(refusal.conflicts, expected)
    }
    XCTAssertTrue(pair.mine.hasChanges)
  }

  func testADeletionDoesNotEmptyWhatOthersMadeReferToIt() async throws {
    for keepsDeletion in [true, false] {
      try await forRootsAndChildren { pair, found in
        pair.mine.delete(try pair.mine.object(found.free))
        try pair.theirs.object(found.key).lock = try pair.theirs.object(found.free)
        try await pair.saveTheirs()
        let conflict = Conflict(
          object: found.key.any, kind: .addedToDeleted("lock", .nullify), theirs: .reference(found.free.any))
        XCTAssertEqual(try pair.mine.object(found.key).lock?.state, .deleted)
        try await expectRefusal(pair, [conflict])
        try pair.mine.resolve(conflict, with: keepsDeletion ? conflict.mine : conflict.theirs)
        XCTAssertEqual(try pair.mine.conflicts(), [])
        XCTAssertEqual(pair.mine.changes.updated, keepsDeletion ? [found.key.any] : [], "said before it is saved")
        XCTAssertEqual(try pair.mine.object(found.key).lock?.id, keepsDeletion ? nil : found.free)
        try await pair.saveMine()
        XCTAssertEqual(try pair.mine.object(found.key).lock?.id, keepsDeletion ? nil : found.free)
        XCTAssertEqual(pair.mine.find(found.free) == nil, keepsDeletion)
      }
    }
  }

  func testACascadeDoesNotTakeWhatOthersAdded() async throws {
    for keepsDeletion in [true, false] {
      try await forRootsAndChildren { pair, found in
        pair.mine.delete(try pair.mine.object(found.shed))
        try pair.theirs.object(found.red).shed = try pair.theirs.object(found.shed)
        try await pair.saveTheirs()
        let conflict = Conflict(
          object: found.red.any, kind: .addedToDeleted("shed", .cascade), theirs: .reference(found.shed.any))
        try await expectRefusal(pair, [conflict])
        try pair.mine.resolve(conflict, with: keepsDeletion ? conflict.mine : conflict.theirs)
        XCTAssertEqual(try pair.mine.conflicts(), [])
        let deleted = keepsDeletion ? [found.shed.any, found.red.any, found.lock.any] : []
        XCTAssertEqual(Set(pair.mine.changes.deleted), Set(deleted), "the lock goes with its bicycle")
        try await pair.saveMine()
        XCTAssertEqual(try pair.mine.count(Fetch<Bicycle>()), keepsDeletion ? 1 : 2)
        XCTAssertEqual(try pair.mine.count(Fetch<Lock>()), keepsDeletion ? 1 : 2)
      }
    }
  }

  func testAPlaceInAOneToOneThatOthersFilledIsNotTakenFromThem() async throws {
    for keepsMine in [true, false] {
      try await forRootsAndChildren { pair, found in
        try pair.mine.object(found.red).lock = try pair.mine.object(found.free)
        try pair.theirs.object(found.blue).lock = try pair.theirs.object(found.free)
        try await pair.saveTheirs()
        let conflict = Conflict(
          object: found.red.any, kind: .taken("lock", by: found.blue.any), mine: .reference(found.free.any),
          theirs: .reference(found.lock.any))
        try await expectRefusal(pair, [conflict])
        try pair.mine.resolve(conflict, with: keepsMine ? conflict.mine : conflict.theirs)
        XCTAssertEqual(try pair.mine.conflicts(), [])
        try await pair.saveMine()
        XCTAssertEqual(try pair.mine.object(found.red).lock?.id, keepsMine ? found.free : found.lock)
        XCTAssertEqual(try pair.mine.object(found.blue).lock?.id, keepsMine ? nil : found.free)
      }
    }
  }

  func testADeletionTakesWhatOthersPutIntoThePlaceOfWhatWentWithIt() async throws {
    try await forRootsAndChildren { pair, found in
      pair.mine.delete(try pair.mine.object(found.red))
      try pair.theirs.object(found.red).lock = try pair.theirs.object(found.free)
      try await pair.saveTheirs()
      let conflict = Conflict(object: found.red.any, kind: .deletedByMe)
      try await expectRefusal(pair, [conflict])
      try pair.mine.resolve(conflict, with: .null)
      XCTAssertEqual(try pair.mine.conflicts(), [])
      XCTAssertTrue(pair.mine.changes.deleted.contains(found.free.any))
      try await pair.saveMine()
      XCTAssertEqual(try pair.mine.count(Fetch<Lock>()), 0)
    }
  }

  func testAReferenceToWhatAResolvedDeletionTakesIsAConflict() async throws {
    try await forRootsAndChildren { pair, found in
      try pair.mine.object(found.key).lock = try pair.mine.object(found.lock)
      pair.mine.delete(try pair.mine.object(found.shed))
      try pair.theirs.object(found.red).shed = try pair.theirs.object(found.shed)
      try await pair.saveTheirs()
      let conflict = try XCTUnwrap(try pair.mine.conflicts().first)
      XCTAssertEqual(conflict.kind, .addedToDeleted("shed", .cascade))
      try pair.mine.resolve(conflict, with: conflict.mine)
      XCTAssertEqual(try pair.mine.conflicts().map(\.kind), [.missingTarget("lock")])
    }
  }

  func testAllConflictsAreSaidAtOnce() async throws {
    try await forRootsAndChildren { pair, found in
      try pair.mine.object(found.blue).name = "mine"
      try pair.mine.object(found.key).lock = try pair.mine.object(found.free)
      pair.mine.delete(try pair.mine.object(found.shed))
      try pair.theirs.object(found.blue).name = "theirs"
      try pair.theirs.object(found.red).shed = try pair.theirs.object(found.shed)
      pair.theirs.delete(try pair.theirs.object(found.free))
      try await pair.saveTheirs()
      let kinds: Set<Conflict.Kind> = [
        .attribute("name"), .missingTarget("lock"), .addedToDeleted("shed", .cascade),
      ]
      XCTAssertEqual(Set(try pair.mine.conflicts().map(\.kind)), kinds)
      pair.mine.discard()
    }
  }
}
