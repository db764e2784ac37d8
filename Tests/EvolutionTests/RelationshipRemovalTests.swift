import Foundation
import RepriseCore
import RepriseEventStore
import RepriseObjectModel
import XCTest

private final class Note: Version {
  static let entity = Entity(
    Note.self, name: "Note",
    properties: [
      .attribute("title", String.self), .toOne("folder", Folder.self, inverse: "notes"),
      .toMany("tags", Tag.self, inverse: "notes"), .index(["folder", "title"]),
    ])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

private final class Folder: Version {
  static let entity = Entity(
    Folder.self, name: "Folder",
    properties: [.attribute("name", String.self), .toMany("notes", Note.self, deleteRule: .cascade, isOrdered: true)])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

private final class Tag: Version {
  static let entity = Entity(
    Tag.self, name: "Tag", properties: [.attribute("name", String.self), .toMany("notes", Note.self)])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

private final class LoneNote: Version {
  static let entity = Entity(LoneNote.self, name: "Note", properties: [.attribute("title", String.self)])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

private final class LoneFolder: Version {
  static let entity = Entity(LoneFolder.self, name: "Folder", properties: [.attribute("name", String.self)])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

private final class LoneTag: Version {
  static let entity = Entity(LoneTag.self, name: "Tag", properties: [.attribute("name", String.self)])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

private let alone = Migration(
  to: 1, "All alone", removing: [.relationship("notes", of: "Folder"), .relationship("tags", of: "Note")])

/// Relationships that are taken away for good.
final class RelationshipRemovalTests: XCTestCase {
  private let path = FileManager.default.temporaryDirectory.path + "/reprise-\(UUID().uuidString)"
  override func tearDown() { try? FileManager.default.removeItem(atPath: path) }

  private static let old = Schema(Note.self, Folder.self, Tag.self)
  private static let new = Schema(LoneNote.self, LoneFolder.self, LoneTag.self)

  private func open(_ schema: Schema, _ plan: Migration...) async throws -> Store {
    try await Store.open(
      path, for: schema, migrations: plan.isEmpty ? nil : MigrationPlan(plan))
  }

  private func fill() async throws {
    let store = try await open(Self.old)
    let context = RootContext(store)
    let folders = (0..<3).map { context.insert(Folder(["name": "f\($0)"])) }
    let tags = (0..<3).map { context.insert(Tag(["name": "t\($0)"])) }
    for number in 0..<300 {
      let note = context.insert(Note(["title": "n\(number)"]))
      note.point("folder", to: folders[number % 3])
      note.add(tags[number % 3], to: "tags")
    }
    try await context.save("Fill")
    try await store.close()
  }

  func testBothEndsGoWithPairsPlacesAndIndexesAndTheObjectsStay() async throws {
    try await fill()
    var store = try await open(Self.new)
    XCTAssertFalse(store.warnings.isEmpty, "left out, they stay")
    try await store.close()
    store = try await open(Self.new, alone)
    XCTAssertEqual(store.warnings, [])
    let context = RootContext(store)
    let folder = try XCTUnwrap(try context.fetch(Fetch<LoneFolder>()).first)
    context.delete(folder)
    let note = try XCTUnwrap(try context.fetch(Fetch<LoneNote>()).first)
    note["title"] = .string("changed")
    context.delete(try XCTUnwrap(try context.fetch(Fetch<LoneTag>()).first))
    try await context.save("Change")
    XCTAssertEqual(try context.count(Fetch<LoneNote>()), 300, "nothing cascades any more")
    let filled = try XCTUnwrap(try context.history(of: note).last)
    let changes = filled.changes.filter { $0.object == note.id.any }.flatMap(\.properties)
    XCTAssertTrue(changes.contains { $0.property == "folder" }, "the past stays: \(changes)")
    try await assertSound(store)
    try await store.close()
    try await StoreMaintenance.rebuild(path)
    store = try await open(Self.new, alone)
    XCTAssertEqual(store.warnings, [])
    try await assertSound(store)
    try await store.close()
  }

  func testARelationshipOfThatNameBeginsAnew() async throws {
    try await fill()
    try await open(Self.new, alone).close()
    let store = try await open(Self.old, alone, Migration(to: 2, "Together again"))
    let context = RootContext(store)
    let folder = try XCTUnwrap(try context.fetch(Fetch<Folder>()).first)
    XCTAssertEqual(folder.memberIDs("notes"), [])
    XCTAssertEqual(try context.fetch(Fetch<Tag>()).flatMap { $0.memberIDs("notes") }, [])
    let note = try XCTUnwrap(try context.fetch(Fetch<Note>()).first)
    note.point("folder", to: folder)
    try await context.save()
    XCTAssertEqual(folder.memberIDs("notes"), [note.id.uuid])
    XCTAssertEqual(store.warnings, [])
    try await assertSound(store)
    try await store.close()
  }

  func testWhatTheModelsDeclareIsNotTakenAway() async throws {
    try await fill()
    do {
      _ = try await open(Self.old, alone)
      XCTFail("it would come back empty")
    } catch StoreError.migration(.stillDeclared("Folder.notes", "All alone")) {}
    let preview = try await StoreMaintenance.preview(MigrationPlan(alone), of: path, for: Self.new)
    XCTAssertEqual(preview.removals.map(\.description), ["Folder.notes", "Note.tags"])
  }
}
