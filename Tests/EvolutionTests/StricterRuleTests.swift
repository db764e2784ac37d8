import Foundation
import RepriseCore
import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import XCTest

private let attributes: [Property] = [.attribute("aisle", String?.self), .attribute("shelf", Int?.self)]

private final class IndexedBox: Version {
  static let entity = Entity(
    IndexedBox.self, name: "Box", properties: attributes + [.index(["aisle", "shelf"])])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

/// Nil does not equal nil.
private final class LooseBox: Version {
  static let entity = Entity(
    LooseBox.self, name: "Box", properties: attributes + [.unique(["aisle", "shelf"])])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

/// The same with something that the store lacks.
private final class WiderBox: Version {
  static let entity = Entity(
    WiderBox.self, name: "Box",
    properties: attributes + [.attribute("note", String.self, indexed: true), .unique(["aisle", "shelf"])])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

/// Nil equals nil.
private final class StrictBox: Version {
  static let entity = Entity(
    StrictBox.self, name: "Box", properties: attributes + [.unique(["aisle", "shelf"], nilsAreEqual: true)])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

/// The same under other names.
private final class RenamedBox: Version {
  static let entity = Entity(
    RenamedBox.self, name: "Crate", was: "Box",
    properties: [
      .attribute("lane", String?.self, was: "aisle"), .attribute("shelf", Int?.self),
      .unique(["lane", "shelf"], nilsAreEqual: true),
    ])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

/// An attribute that is nil for every object that has an even shelf.
private final class DerivedBox: Version {
  static let entity = Entity(
    DerivedBox.self, name: "Box",
    properties: attributes + [
      .derived("odd", Int?.self, of: DerivedBox.self) {
        if case .int(let shelf) = $0["shelf"], shelf % 2 != 0 { Int(shelf) } else { nil }
      },
      .unique(["aisle", "odd"], nilsAreEqual: true),
    ])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

/// Indexes that become unique, or more strictly unique, while there are objects.
final class StricterRuleTests: XCTestCase {
  private let path = FileManager.default.temporaryDirectory.path + "/reprise-\(UUID().uuidString)"
  override func tearDown() { try? FileManager.default.removeItem(atPath: path) }

  /// - Parameter atOnce: Indexes over more objects are built in slices.
  private func open<Model: Version>(_ model: Model.Type, atOnce: Int = 2_000) throws -> Store {
    var options = StoreOptions()
    options.isUnflushed = true
    options.indexing.atOnce = atOnce
    (options.indexing.rows, options.indexing.mostRows, options.indexing.objectsRead) = (8, 16, 30)
    return try Store.openNow(path, for: Schema(model), options)
  }

  private func fill<Model: Version>(_ model: Model.Type, _ boxes: [(aisle: String?, shelf: Int?)]) async throws {
    let store = try open(model)
    let context = RootContext(store)
    for box in boxes { context.insert(model.init(["aisle": box.aisle, "shelf": box.shelf])) }
    try await context.save()
    try await store.close()
  }

  private func refusal<Model: Version>(of model: Model.Type, atOnce: Int = 2_000) async throws -> [RuleViolation] {
    do {
      try await open(model, atOnce: atOnce).close()
      XCTFail("it was opened")
      return []
    } catch StoreError.violations(let violations) {
      return violations
    }
  }

  private func violations(_ context: RootContext) async -> [RuleViolation] {
    do {
      try await context.save()
      return []
    } catch SaveError.refused(let refusal) {
      return refusal.violations
    } catch {
      XCTFail("\(error)")
      return []
    }
  }

  private func deleteRepeated(_ store: Store) async throws {
    let context = RootContext(store)
    var seen: Set<String> = []
    for box in try context.fetch(Fetch<LooseBox>()) where !seen.insert("\(box["aisle"]) \(box["shelf"])").inserted {
      context.delete(box)
    }
    try await context.save()
  }

  func testAStoreWithEqualNilsIsNotOpenedWithTheRule() async throws {
    for (model, atOnce) in [(0, 2_000), (0, 10), (1, 2_000), (1, 10)] {
      try? FileManager.default.removeItem(atPath: path)
      // Thirty of an aisle without a shelf, and two without anything.
      let boxes: [(String?, Int?)] =
        (0..<30).map { ("a", $0) } + (0..<30).map { _ in ("b", nil) } + [(nil, nil), (nil, nil), (nil, 1)]
      if model == 0 { try await fill(IndexedBox.self, boxes) } else { try await fill(LooseBox.self, boxes) }
      let found = try await refusal(of: StrictBox.self, atOnce: atOnce)
      XCTAssertEqual(found.count, 10)
      XCTAssertEqual(Set(found.map(\.values)), [[.null, .null], [.string("b"), .null]])
      XCTAssertEqual(Set(found.map(\.rule)).count, 2)
      let store = try open(LooseBox.self, atOnce: atOnce)
      try await deleteRepeated(store)
      let head = store.log.head
      try await store.close()
      let strict = try open(StrictBox.self, atOnce: atOnce)
      XCTAssertEqual(strict.unfinishedIndexes, [])
      XCTAssertEqual(strict.log.head, head + 1)
      let context = RootContext(strict)
      context.insert(StrictBox(["aisle": "b"]))
      context.insert(StrictBox(["shelf": 1]))
      context.insert(StrictBox(["shelf": 2]))
      let news = await violations(context)
      XCTAssertEqual(news.map(\.values), [[.string("b"), .null], [.null, .int(1)]])
      try await assertSound(strict)
      try await strict.close()
    }
  }

  func testAStricterRuleThatIsRefusedLeavesTheWeakerOne() async throws {
    for atOnce in [2_000, 1] {
      try? FileManager.default.removeItem(atPath: path)
      try await fill(LooseBox.self, [("a", nil), ("a", nil), ("a", 1)])
      let before = try open(LooseBox.self)
      let (head, revision) = (try before.log.headToken(), before.map.revision)
      try await before.close()
      let found = try await refusal(of: StrictBox.self, atOnce: atOnce)
      XCTAssertEqual(found.count, 1)
      let store = try open(IndexedBox.self)
      XCTAssertEqual(try store.log.headToken(), head)
      XCTAssertEqual(store.map.revision, revision)
      let context = RootContext(store)
      context.insert(IndexedBox(["aisle": "a", "shelf": 1]))
      let news = await violations(context)
      XCTAssertEqual(news.count, 1)
      context.discard()
      context.insert(IndexedBox(["aisle": "a"]))
      try await context.save()
      try await assertSound(store)
      try await store.close()
    }
  }

  func testAWeakerProgramDoesNotTakeTheRuleBack() async throws {
    try await fill(StrictBox.self, [("a", nil)])
    func check<Model: Version>(_ model: Model.Type, _ aisle: String = "aisle") async throws {
      let store = try open(model)
      let context = RootContext(store)
      context.insert(model.init([aisle: "a"]))
      let found = await violations(context)
      XCTAssertEqual(found.map(\.values), [[.string("a"), .null]])
      context.discard()
      try await assertSound(store)
      try await store.close()
    }
    let store = try open(StrictBox.self)
    let head = try store.log.headToken()
    try await store.close()
    try await check(IndexedBox.self)
    try await check(LooseBox.self)
    try await check(StrictBox.self)
    let again = try open(StrictBox.self)
    XCTAssertEqual(try again.log.headToken(), head)
    try await again.close()
    try await check(WiderBox.self)
    try await check(RenamedBox.self, "lane")
    try await check(RenamedBox.self, "lane")
  }

  func testAPreviewListsTheEqualNils() async throws {
    try await fill(LooseBox.self, (0..<12).map { _ in ("a", nil) } + [("b", nil)])
    let plan = MigrationPlan(Migration(to: 1, "Nothing"), oldestVersion: 0)
    let preview = try await StoreMaintenance.preview(plan, of: path, for: Schema(StrictBox.self))
    XCTAssertEqual(preview.indexes.map(\.properties), [["aisle", "shelf"]])
    XCTAssertEqual(preview.indexes.map(\.isUnique), [true])
    XCTAssertEqual(preview.indexes.map(\.nilsAreEqual), [true])
    XCTAssertEqual(preview.indexes.first?.violations.count, 10)
    XCTAssertEqual(preview.indexes.first?.violations.first?.values, [.string("a"), .null])
    let same = try await StoreMaintenance.preview(plan, of: path, for: Schema(LooseBox.self))
    XCTAssertEqual(same.indexes.count, 0)
    do {
      _ = try await Store.open(path, for: StrictBox.self, migrations: plan)
      XCTFail("opened")
    } catch StoreError.violations(let violations) {
      XCTAssertEqual(violations.count, 10)
    }
    try await open(LooseBox.self).close()
  }

  func testDerivedNilsThatAreEqualAreRefused() async throws {
    try await fill(IndexedBox.self, [("a", 1), ("a", 2), ("b", 2), ("a", 3), ("a", 4)])
    let found = try await refusal(of: DerivedBox.self)
    XCTAssertEqual(found.map(\.values), [[.string("a"), .null]])
    let store = try open(IndexedBox.self)
    let context = RootContext(store)
    context.delete(try XCTUnwrap(context.fetch(Fetch<IndexedBox>()).last))
    try await context.save()
    try await store.close()
    let derived = try open(DerivedBox.self)
    let later = RootContext(derived)
    later.insert(DerivedBox(["aisle": "b", "shelf": 6]))
    let news = await violations(later)
    XCTAssertEqual(news.map(\.values), [[.string("b"), .null]])
    try await assertSound(derived)
    try await derived.close()
  }

  func testEqualNilsThatAConversionMakesAreRefused() async throws {
    let store = try await Store.open(path, for: NumberBox.self)
    let context = RootContext(store)
    for code in [-1, 5, -2] { context.insert(NumberBox(["code": code])) }
    try await context.save()
    let head = try store.log.headToken()
    try await store.close()
    let plan = MigrationPlan(
      Migration(
        to: 1, "Codes",
        AttributeConversion("code", of: "Box", from: Int.self, to: String?.self) { $0 < 0 ? nil : "\($0)" }))
    do {
      _ = try await Store.open(path, for: TextBox.self, migrations: plan)
      XCTFail("opened")
    } catch StoreError.violations(let violations) {
      XCTAssertEqual(violations.map(\.values), [[.null]])
    }
    let again = try await Store.open(path, for: NumberBox.self)
    XCTAssertEqual(try again.log.headToken(), head)
    let root = RootContext(again)
    root.delete(try XCTUnwrap(root.fetch(Fetch<NumberBox>()).last))
    try await root.save()
    try await again.close()
    let converted = try await Store.open(path, for: TextBox.self, migrations: plan)
    let later = RootContext(converted)
    later.insert(TextBox())
    let news = await violations(later)
    XCTAssertEqual(news.map(\.values), [[.null]])
    try await assertSound(converted)
    try await converted.close()
  }
}

private final class NumberBox: Version {
  static let entity = Entity(NumberBox.self, name: "Box", properties: [.attribute("code", Int.self)])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

private final class TextBox: Version {
  static let entity = Entity(
    TextBox.self, name: "Box",
    properties: [.attribute("code", String?.self), .unique(["code"], nilsAreEqual: true)])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}
