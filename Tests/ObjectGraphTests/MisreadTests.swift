import RepriseEventStore
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

@testable import RepriseObjectGraph

/// Types that cannot hold what is stored: their defaults are read instead, and never saved.
@MainActor
final class MisreadTests: XCTestCase {
  private var test: TestStore!

  func testAnAttributeThatBecomesOptionalMayBeNull() async throws {
    let test = try TestStore(Schema(Gauge.self))
    let first = RootContext(test.store)
    let gauge = first.insert(Gauge())
    gauge.level = 7
    try await first.save()
    try await test.store.close()
    test.schema = Schema(Gauge.OrNone.self)
    try test.open()
    let context = RootContext(test.store)
    let same = try XCTUnwrap(try context.fetch(Fetch<Gauge.OrNone>()).first)
    XCTAssertEqual(same.level, 7)
    same.level = nil
    try await context.save()
    let report = try await StoreMaintenance.verify(test.store)
    XCTAssertEqual(report.problems, [])
    try await test.store.close()
    // A program that takes it for a required one goes on, and reads the default.
    test.schema = Schema(Gauge.self)
    try test.open()
    let old = RootContext(test.store)
    let gauge2 = try XCTUnwrap(try old.fetch(Fetch<Gauge>()).first)
    XCTAssertEqual(gauge2.level, 0)
    XCTAssertEqual(gauge2.state, .unreadable)
  }

  // MARK: Types that cannot hold what is stored

  /// A gauge at 5,000,000,000, of a kind that the later model has no case for.
  private func reopened() async throws -> (TestStore, Gauge.Narrow) {
    let test = try TestStore(Schema(Gauge.self))
    let first = RootContext(test.store)
    let gauge = first.insert(Gauge())
    gauge.level = 5_000_000_000
    gauge.kind = "mercury"
    try await first.save()
    let store = test.store
    try await store.close()
    test.schema = Schema(Gauge.Narrow.self)
    try test.open()
    self.test = test
    let context = RootContext(test.store)
    return (test, try XCTUnwrap(try context.fetch(Fetch<Gauge.Narrow>()).first))
  }

  private func refusal(of context: RootContext) async -> SaveError? {
    do {
      try await context.save()
      return nil
    } catch {
      return error as? SaveError
    }
  }

  private func requireUntouched(_ store: Store, _ id: AnyObjectID, line: UInt = #line) throws {
    let map = try XCTUnwrap(store.map.map(id.name))
    let values = try XCTUnwrap(try store.objects.values(of: id.uuid, map, at: store.refreshedHead()))
    XCTAssertEqual(values[0], .int(5_000_000_000), line: line)
    XCTAssertEqual(values[1], .string("mercury"), line: line)
  }

  func testADefaultThatWasReadInsteadOfWhatIsStoredIsNeverSaved() async throws {
    let (test, gauge) = try await reopened()
    let context = try XCTUnwrap(gauge._storage.host as? RootContext)
    XCTAssertEqual(gauge.level, 0)
    XCTAssertEqual(gauge.state, .unreadable)
    XCTAssertEqual(Array(context.readErrors.keys), [gauge.id.any])
    gauge.level += 1
    XCTAssertFalse(context.hasChanges)
    context.insert(Gauge.Narrow())
    guard case .unreadable(let reasons)? = await refusal(of: context), Array(reasons.keys) == [gauge.id.any] else {
      return XCTFail("nobody was told that the assignment is not saved")
    }
    try context.refresh()
    try await context.save()
    try requireUntouched(test.store, gauge.id.any)
    XCTAssertEqual(gauge.kind, .dial)
    XCTAssertEqual(gauge.state, .unreadable)
    gauge.kind = .dial
    XCTAssertFalse(context.hasChanges)
    try requireUntouched(test.store, gauge.id.any)
  }

  func testADiscardForgetsARefusedAssignment() async throws {
    let (test, gauge) = try await reopened()
    let context = try XCTUnwrap(gauge._storage.host as? RootContext)
    for discard in [{ context.discard() }, { context.discard(gauge) }, { context.discard(gauge.id.any) }] {
      XCTAssertEqual(gauge.level, 0)
      gauge.level = 7
      guard case .unreadable(let objects) = await refusal(of: context) else { return XCTFail("not refused") }
      XCTAssertEqual(Array(objects.keys), [gauge.id.any])
      discard()
      context.insert(Gauge.Narrow())
      try await context.save()
    }
    XCTAssertEqual(try context.count(Fetch<Gauge.Narrow>()), 4)
    XCTAssertThrowsError(
      try context.group("Reverted") {
        gauge.level = 7
        throw CancellationError()
      })
    context.insert(Gauge.Narrow())
    try await context.save()
    try requireUntouched(test.store, gauge.id.any)
  }

  func testAChildForgetsARefusedAssignmentToo() async throws {
    let (test, gauge) = try await reopened()
    let context = try XCTUnwrap(gauge._storage.host as? RootContext)
    let child = context.makeChild()
    let same = try child.object(gauge.id)
    XCTAssertEqual(same.level, 0)
    same.level = 7
    child.insert(Gauge.Narrow())
    XCTAssertThrowsError(try child.save())
    child.discard()
    child.insert(Gauge.Narrow())
    try child.save()
    try await context.save()
    try requireUntouched(test.store, gauge.id.any)
  }

  func testWhatCannotBeReadKeepsNothingElseFromBeingSaved() async throws {
    let (test, gauge) = try await reopened()
    let context = try XCTUnwrap(gauge._storage.host as? RootContext)
    XCTAssertEqual(gauge.level, 0)
    gauge.name = "renamed"
    context.insert(Gauge.Narrow())
    try await context.save()
    XCTAssertEqual(gauge.name, "renamed")
    try requireUntouched(test.store, gauge.id.any)
  }

  func testLoadingSaysWhatCannotBeReadAndLeavesItUnreadable() async throws {
    let (_, gauge) = try await reopened()
    let context = try XCTUnwrap(gauge._storage.host as? RootContext)
    for _ in 0..<2 {
      XCTAssertThrowsError(try context.load(gauge)) { error in
        guard case LookupError.unreadable(gauge.id.any, _) = error else { return XCTFail("\(error)") }
      }
      XCTAssertEqual(gauge.state, .unreadable)
      XCTAssertEqual(Array(context.readErrors.keys), [gauge.id.any])
    }
  }

  func testAnAssignmentBeforeTheDefaultIsReadRepairsWhatIsStored() async throws {
    let (_, gauge) = try await reopened()
    let context = try XCTUnwrap(gauge._storage.host as? RootContext)
    XCTAssertEqual(gauge.level, 0)
    try context.refresh()
    gauge.level = 8
    gauge.kind = .dial
    XCTAssertEqual(gauge.state, .live)
    XCTAssertEqual(context.readErrors.count, 0)
    try await context.save()
    try context.load(gauge)
    XCTAssertEqual(gauge.level, 8)
    XCTAssertEqual(gauge.kind, .dial)
    context.undo()
  }

  func testAChildDoesNotSaveADefaultEither() async throws {
    let (test, gauge) = try await reopened()
    let context = try XCTUnwrap(gauge._storage.host as? RootContext)
    let child = context.makeChild()
    let same = try child.object(gauge.id)
    same.level += 1
    XCTAssertEqual(Array(child.readErrors.keys), [gauge.id.any])
    XCTAssertThrowsError(try child.save())
    XCTAssertFalse(child.hasChanges)
    try context.refresh()
    try child.save()
    try await context.save()
    try requireUntouched(test.store, gauge.id.any)
  }

  func testWhatCannotBeReadMayBeDeleted() async throws {
    let (test, gauge) = try await reopened()
    let context = try XCTUnwrap(gauge._storage.host as? RootContext)
    XCTAssertEqual(gauge.level, 0)
    context.delete(gauge)
    try await context.save()
    XCTAssertEqual(try context.count(Fetch<Gauge.Narrow>()), 0)
    let report = try await StoreMaintenance.verify(test.store)
    XCTAssertEqual(report.problems, [])
  }

  // MARK: All say the same

  private static func isNamed(_ error: any Error, _ gauge: Gauge.Narrow, _ value: String, _ type: String) -> Bool {
    let text = "\(error)"
    return [value, type, gauge.id.any.description].allSatisfy(text.contains)
  }

  func testGetterAggregatesAndSaveNameValueTypeAndObject() async throws {
    let (_, gauge) = try await reopened()
    let context = try XCTUnwrap(gauge._storage.host as? RootContext)
    XCTAssertEqual(gauge.level, 0)
    let reason = try XCTUnwrap(context.readErrors[gauge.id.any])
    XCTAssertTrue(Self.isNamed(reason, gauge, "5000000000", "Int32"), "\(reason)")
    let level = try Field<Gauge.Narrow, Int32>(named: "level")
    let all = Fetch<Gauge.Narrow>()
    let attempts: [() throws -> Void] = [
      { _ = try context.aggregate(all) { _ in level.sum } },
      { _ = try context.aggregate(all) { _ in level.average } },
      { _ = try context.aggregate(all) { _ in level.minimum } },
      { _ = try context.aggregate(all) { _ in level.maximum } },
      { _ = try context.distinct(all) { _ in level } },
      { _ = try context.fetch(all.grouped { _ in level }) },
      { try context.load(gauge) },
    ]
    for (number, attempt) in attempts.enumerated() {
      XCTAssertThrowsError(try attempt(), "\(number)") { error in
        XCTAssertTrue(Self.isNamed(error, gauge, "5000000000", "Int32"), "\(number): \(error)")
      }
    }
    gauge.level = 3
    let refusal = await refusal(of: context)
    XCTAssertTrue(
      refusal.map { Self.isNamed($0, gauge, "5000000000", "Int32") } ?? false, "\(String(describing: refusal))")
    let child = context.makeChild()
    try child.object(gauge.id).level += 1
    XCTAssertThrowsError(try child.save()) { error in
      XCTAssertTrue(Self.isNamed(error, gauge, "5000000000", "Int32"), "\(error)")
    }
  }

  func testADistinctCountRefusesWhatDistinctRefuses() async throws {
    let (_, gauge) = try await reopened()
    let context = try XCTUnwrap(gauge._storage.host as? RootContext)
    let all = Fetch<Gauge.Narrow>()
    let level = try Field<Gauge.Narrow, Int32>(named: "level")
    // It has an index.
    let kind = try Field<Gauge.Narrow, Gauge.Kind>(named: "kind")
    let attempts: [(value: String, type: String, body: () throws -> Void)] = [
      ("5000000000", "Int32", { _ = try context.distinct(all) { _ in level } }),
      ("5000000000", "Int32", { _ = try context.aggregate(all) { _ in level.distinctCount } }),
      ("mercury", "Kind", { _ = try context.distinct(all) { _ in kind } }),
      ("mercury", "Kind", { _ = try context.aggregate(all) { _ in kind.distinctCount } }),
    ]
    for (number, attempt) in attempts.enumerated() {
      XCTAssertThrowsError(try attempt.body(), "\(number)") { error in
        XCTAssertTrue(Self.isNamed(error, gauge, attempt.value, attempt.type), "\(number): \(error)")
      }
    }
    XCTAssertEqual(try context.aggregate(all) { _ in level.count }, 1, "it reads no value")
    XCTAssertEqual(try context.aggregate(all) { _ in kind.count }, 1)
    gauge.level = 3
    gauge.kind = .dial
    XCTAssertEqual(try context.aggregate(all) { _ in level.distinctCount }, 1)
    XCTAssertEqual(try context.aggregate(all) { _ in kind.distinctCount }, 1)
  }

  // MARK: Once read, never forgotten

  /// What makes an object be read anew, and repairs nothing.
  private typealias Reread = @MainActor (RootContext, Gauge.Narrow) async throws -> Void
  private let rereads: [(name: String, body: Reread)] = [
    (
      "a save",
      { context, gauge in
        gauge.name = "renamed"
        try await context.save()
      }
    ),
    (
      "discarding",
      { context, gauge in
        gauge.name = "renamed"
        context.discard()
      }
    ),
    (
      "discarding the object",
      { context, gauge in
        gauge.name = "renamed"
        context.discard(gauge)
      }
    ),
    (
      "undo and redo",
      { context, gauge in
        gauge.name = "renamed"
        context.undo()
        XCTAssertEqual(gauge.state, .unreadable)
        context.redo()
      }
    ),
    (
      "another's save",
      { context, gauge in
        let other = RootContext(context.store)
        try other.object(gauge.id).name = "other"
        try await other.save()
        context.headMoved()
        XCTAssertEqual(gauge.name, "other")
      }
    ),
    (
      "a child's save",
      { context, gauge in
        let child = context.makeChild()
        try child.object(gauge.id).name = "renamed"
        try child.save()
      }
    ),
    (
      "a deletion that is undone",
      { context, gauge in
        context.delete(gauge)
        XCTAssertEqual(gauge.state, .deleted)
        context.undo()
      }
    ),
  ]

  /// The default that was read before is assigned, and the save says that it does not save it.
  private func requireRefusal(of shown: Int32, to gauge: Gauge.Narrow, _ way: String, line: UInt = #line) async throws {
    let context = try XCTUnwrap(gauge._storage.host as? RootContext)
    XCTAssertEqual(gauge.state, .unreadable, way, line: line)
    XCTAssertEqual(Array(context.readErrors.keys), [gauge.id.any], way, line: line)
    gauge.level = shown + 1
    context.insert(Gauge.Narrow())
    guard case .unreadable(let reasons)? = await refusal(of: context), Array(reasons.keys) == [gauge.id.any] else {
      return XCTFail("saved after \(way)", line: line)
    }
    try requireUntouched(context.store, gauge.id.any, line: line)
  }

  func testADefaultThatWasReadIsNotSavedAfterItsObjectWasReadAnew() async throws {
    for (way, reread) in rereads {
      let (_, gauge) = try await reopened()
      let shown = gauge.level
      try await reread(try XCTUnwrap(gauge._storage.host as? RootContext), gauge)
      try await requireRefusal(of: shown, to: gauge, way)
    }
  }

  private func readAndLetGo() async throws -> (RootContext, Gauge.Narrow.ID, Int32) {
    let (_, gauge) = try await reopened()
    return (try XCTUnwrap(gauge._storage.host as? RootContext), gauge.id, gauge.level)
  }

  func testADefaultThatWasReadIsNotSavedThroughALaterInstance() async throws {
    let (context, id, shown) = try await readAndLetGo()
    XCTAssertNil(context.liveInstance(of: id.any))
    try await requireRefusal(of: shown, to: try context.object(id), "a look-up")
  }

  func testADefaultThatWasReadOfADeletedObjectIsNotSavedWhenItIsBack() async throws {
    let (_, gauge) = try await reopened()
    let context = try XCTUnwrap(gauge._storage.host as? RootContext)
    context.delete(gauge)
    let shown = gauge.level
    XCTAssertEqual(gauge.state, .deleted)
    XCTAssertEqual(context.readErrors.count, 0)
    context.undo()
    try await requireRefusal(of: shown, to: gauge, "a deletion that is undone")
  }

  func testAChildDoesNotForgetADefaultThatWasRead() async throws {
    let ways: [(name: String, body: (ChildContext, Gauge.Narrow) throws -> Void)] = [
      ("a save", { child, _ in try child.save() }),
      ("discarding", { child, _ in child.discard() }),
      ("undo", { child, _ in child.undo() }),
      (
        "an edit below",
        { child, gauge in
          child.discard()
          XCTAssertEqual(gauge.state, .unreadable)
          try child.parent.object(gauge.id).name = "below"
          XCTAssertEqual(gauge.name, "below")
        }
      ),
    ]
    for (way, reread) in ways {
      let (test, below) = try await reopened()
      let context = try XCTUnwrap(below._storage.host as? RootContext)
      let child = context.makeChild()
      let gauge = try child.object(below.id)
      let shown = gauge.level
      gauge.name = "renamed"
      try reread(child, gauge)
      XCTAssertEqual(gauge.state, .unreadable, way)
      XCTAssertEqual(Array(child.readErrors.keys), [gauge.id.any], way)
      gauge.level = shown + 1
      XCTAssertThrowsError(try child.save(), way)
      try context.refresh()
      if child.hasChanges { try child.save() }
      try await context.save()
      try requireUntouched(test.store, gauge.id.any)
    }
  }

  // MARK: Repaired

  func testWhatOthersRepairedTakesAssignmentsAgain() async throws {
    let (test, gauge) = try await reopened()
    let context = try XCTUnwrap(gauge._storage.host as? RootContext)
    XCTAssertEqual(gauge.level, 0)
    let other = RootContext(test.store)
    try other.object(gauge.id).level = 7
    try await other.save()
    context.headMoved()
    XCTAssertEqual(gauge.state, .live)
    XCTAssertEqual(context.readErrors.count, 0)
    XCTAssertEqual(gauge.level, 7)
    gauge.level = 9
    try await context.save()
    XCTAssertEqual(try RootContext(test.store).object(gauge.id).level, 9)
  }

  func testADefaultThatWasReadIsNotSavedWhereARepairIsTakenBack() async throws {
    let (_, gauge) = try await reopened()
    let context = try XCTUnwrap(gauge._storage.host as? RootContext)
    let shown = gauge.level
    let child = context.makeChild()
    try child.object(gauge.id).level = 8
    try child.save()
    XCTAssertEqual(gauge.state, .live)
    XCTAssertEqual(context.readErrors.count, 0)
    XCTAssertEqual(gauge.level, 8)
    context.undo()
    try await requireRefusal(of: shown, to: gauge, "a repair that is undone")
  }

  func testAnAttributeThatWasNotReadCanBeRepairedBesideOneThatWas() async throws {
    let (test, gauge) = try await reopened()
    let context = try XCTUnwrap(gauge._storage.host as? RootContext)
    XCTAssertEqual(gauge.kind, .dial)
    gauge.level = 8
    XCTAssertEqual(gauge.state, .unreadable)
    try await context.save()
    let map = try XCTUnwrap(test.store.map.map(gauge.id.any.name))
    let values = try XCTUnwrap(try test.store.objects.values(of: gauge.id.uuid, map, at: test.store.refreshedHead()))
    XCTAssertEqual(values[0], .int(8))
    XCTAssertEqual(values[1], .string("mercury"))
  }
}

/// One entity, as programs of three versions declare it.
private final class Gauge: TestModel {
  static let entity = Entity(
    Gauge.self, name: "Gauge",
    properties: [.attribute("level", Int.self), .attribute("kind", String.self), .attribute("name", String.self)])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
  @Stored(0) var level: Int
  @Stored(1) var kind: String

  enum Kind: String, AttributeValue { case dial }

  final class Narrow: TestModel {
    static let entity = Entity(
      Narrow.self, name: "Gauge",
      properties: [
        .attribute("level", Int32.self), .attribute("kind", Kind.self, default: .dial, indexed: true),
        .attribute("name", String.self),
      ])
    let _storage: ObjectStorage
    init(_storage: ObjectStorage) { self._storage = _storage }
    @Stored(0) var level: Int32
    @Stored(1) var kind: Kind
    @Stored(2) var name: String
  }

  final class OrNone: TestModel {
    static let entity = Entity(
      OrNone.self, name: "Gauge",
      properties: [.attribute("level", Int?.self), .attribute("kind", String.self), .attribute("name", String.self)])
    let _storage: ObjectStorage
    init(_storage: ObjectStorage) { self._storage = _storage }
    @Stored(0) var level: Int?
  }
}
