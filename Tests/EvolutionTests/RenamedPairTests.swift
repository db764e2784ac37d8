import Foundation
import RepriseCore
import RepriseEventStore
import RepriseObjectModel
import RepriseQuery
import XCTest

// Notes have tags. The links are named after the lesser end, `Note.tags`, until a note is called otherwise.

private final class Note: Version {
  static let entity = Entity(
    Note.self, name: "Note",
    properties: [.attribute("title", String.self), .toMany("tags", Tag.self, inverse: "notes", isOrdered: true)])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

private final class Tag: Version {
  static let entity = Entity(
    Tag.self, name: "Tag", properties: [.attribute("name", String.self), .toMany("notes", Note.self)])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

/// All of it under other names, of which the other end's is the lesser.
private enum Renamed {
  final class Zettel: Version {
    static let entity = Entity(
      Zettel.self, name: "Zettel", was: "Note",
      properties: [
        .attribute("title", String.self),
        .toMany("words", Label.self, inverse: "zettels", isOrdered: true, was: "tags"),
      ])
    let _storage: ObjectStorage
    init(_storage: ObjectStorage) { self._storage = _storage }
  }

  final class Label: Version {
    static let entity = Entity(
      Label.self, name: "Label", was: "Tag",
      properties: [.attribute("name", String.self), .toMany("zettels", Zettel.self, was: "notes")])
    let _storage: ObjectStorage
    init(_storage: ObjectStorage) { self._storage = _storage }
  }
}

/// These names, by a program that does not say what they were.
private enum Settled {
  final class Zettel: Version {
    static let entity = Entity(
      Zettel.self, name: "Zettel",
      properties: [.attribute("title", String.self), .toMany("words", Label.self, isOrdered: true)])
    let _storage: ObjectStorage
    init(_storage: ObjectStorage) { self._storage = _storage }
  }

  final class Label: Version {
    static let entity = Entity(
      Label.self, name: "Label",
      properties: [.attribute("name", String.self), .toMany("zettels", Zettel.self, inverse: "words")])
    let _storage: ObjectStorage
    init(_storage: ObjectStorage) { self._storage = _storage }
  }
}

/// A program that renames the models and lacks the relationship.
private enum Bare {
  final class Zettel: Version {
    static let entity = Entity(
      Zettel.self, name: "Zettel", was: "Note", properties: [.attribute("title", String.self)])
    let _storage: ObjectStorage
    init(_storage: ObjectStorage) { self._storage = _storage }
  }

  final class Label: Version {
    static let entity = Entity(
      Label.self, name: "Label", was: "Tag", properties: [.attribute("name", String.self)])
    let _storage: ObjectStorage
    init(_storage: ObjectStorage) { self._storage = _storage }
  }
}

/// The models renamed, the relationship's ends not.
private enum HalfRenamed {
  final class Zettel: Version {
    static let entity = Entity(
      Zettel.self, name: "Zettel",
      properties: [.attribute("title", String.self), .toMany("tags", Label.self, isOrdered: true)])
    let _storage: ObjectStorage
    init(_storage: ObjectStorage) { self._storage = _storage }
  }

  final class Label: Version {
    static let entity = Entity(
      Label.self, name: "Label",
      properties: [.attribute("name", String.self), .toMany("notes", Zettel.self, inverse: "tags")])
    let _storage: ObjectStorage
    init(_storage: ObjectStorage) { self._storage = _storage }
  }
}

/// A relationship of a model to itself, whose ends exchange their order.
private final class Pupil: Version {
  static let entity = Entity(
    Pupil.self, name: "Pupil",
    properties: [
      .attribute("name", String.self), .toMany("helped", Pupil.self, inverse: "helpers"),
      .toMany("helpers", Pupil.self),
    ])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

private final class RenamedPupil: Version {
  static let entity = Entity(
    RenamedPupil.self, name: "Pupil",
    properties: [
      .attribute("name", String.self), .toMany("taught", RenamedPupil.self, inverse: "helpers", was: "helped"),
      .toMany("helpers", RenamedPupil.self),
    ])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

/// The pairs of a many-to-many stay, and stay single, whatever its ends are called.
final class RenamedPairTests: XCTestCase {
  private func notes(_ test: EvolvingStore) async throws {
    let context = RootContext(try await test.open(Note.self, Tag.self))
    let tags = ["a", "b", "c"].map { context.insert(Tag(["name": $0])) }
    for number in 0..<2 {
      let note = context.insert(Note(["title": "\(number)"]))
      OrderedToMany<Tag>(1, of: note).append(contentsOf: number == 0 ? tags.reversed() : Array(tags.prefix(2)))
    }
    try await context.save()
  }

  /// Reads pairs, adds the same again, removes one and adds it again, in a program of any version.
  private func check<N: Version, T: Version>(
    _ store: Store, _ note: N.Type, _ tag: T.Type, line: UInt = #line
  ) async throws {
    let context = RootContext(store)
    func names(_ note: N) -> String {
      OrderedToMany<T>(1, of: note).map { "\($0._storage.get(0) as String)" }.joined()
    }
    let notes = try context.fetch(Fetch<N>())
    XCTAssertEqual(notes.map(names), ["cba", "ab"], line: line)
    let tags = try context.fetch(Fetch<T>())
    XCTAssertEqual(tags.map { ToMany<N>(1, of: $0).count }, [2, 2, 1], line: line)
    for tag in tags { ToMany<N>(1, of: tag).insert(notes[0]) }
    XCTAssertFalse(context.hasChanges, "a pair is there once", line: line)
    ToMany<N>(1, of: tags[2]).remove(notes[0])
    XCTAssertEqual(names(notes[0]), "ba", line: line)
    OrderedToMany<T>(1, of: notes[0]).insert(tags[2], at: 0)
    try await context.save()
    XCTAssertEqual(try RootContext(store).fetch(Fetch<N>()).map(names), ["cba", "ab"], line: line)
    let links = store.map.all.filter(\.entity.isLink)
    XCTAssertEqual(links.count, 1, line: line)
    XCTAssertEqual(try links.map { try store.objects.count(of: $0) }, [5], line: line)
    try await assertSound(store, line: line)
  }

  func testPairsAreThereUnderNewNamesThatSortOtherwise() async throws {
    let test = EvolvingStore()
    try await notes(test)
    for _ in 0..<2 {
      let store = try await test.open(Renamed.Zettel.self, Renamed.Label.self)
      XCTAssertEqual(store.warnings, [])
      try await check(store, Renamed.Zettel.self, Renamed.Label.self)
      XCTAssertEqual(store.map.stored.entities.map(\.name).sorted(), ["Label", "Zettel", "Zettel.words"])
    }
    // One of the time before goes on, and one that came later.
    try await check(try await test.open(Note.self, Tag.self), Note.self, Tag.self)
    let settled = try await test.open(Settled.Zettel.self, Settled.Label.self)
    try await check(settled, Settled.Zettel.self, Settled.Label.self)
    try await test.close()
    // The same models find their own order in a store that was made with them.
    let fresh = EvolvingStore()
    let made = try await fresh.open(Settled.Zettel.self, Settled.Label.self)
    XCTAssertTrue(made.map.stored.entities.contains { $0.name == "Label.zettels" })
    let again = try await fresh.open(Renamed.Zettel.self, Renamed.Label.self)
    XCTAssertTrue(again.map.stored.entities.contains { $0.name == "Label.zettels" })
    try await fresh.close()
  }

  func testAProgramThatLacksTheRelationshipMayRenameItsModels() async throws {
    let test = EvolvingStore()
    try await notes(test)
    for _ in 0..<2 {
      let store = try await test.open(Bare.Zettel.self, Bare.Label.self)
      let context = RootContext(store)
      let zettel = context.insert(Bare.Zettel(["title": "gone"]))
      try await context.save()
      context.delete(zettel)
      try await context.save()
      try await assertSound(store)
    }
    let store = try await test.open(HalfRenamed.Zettel.self, HalfRenamed.Label.self)
    try await check(store, HalfRenamed.Zettel.self, HalfRenamed.Label.self)
    let renamed = try await test.open(Renamed.Zettel.self, Renamed.Label.self)
    try await check(renamed, Renamed.Zettel.self, Renamed.Label.self)
    try await test.close()
  }

  func testTheEndsOfARelationshipToItselfStayWhatTheyAre() async throws {
    let test = EvolvingStore()
    let context = RootContext(try await test.open(Pupil.self))
    let (ada, bob) = (context.insert(Pupil(["name": "Ada"])), context.insert(Pupil(["name": "Bob"])))
    ada.members("helpers").insert(bob)
    try await context.save()
    for _ in 0..<2 {
      let store = try await test.open(RenamedPupil.self)
      let pupils = try RootContext(store).fetch(Fetch<RenamedPupil>())
      XCTAssertEqual(pupils.map { $0.members("helpers").map { $0["name"] } }, [[.string("Bob")], []])
      XCTAssertEqual(pupils.map { $0.members("taught").map { $0["name"] } }, [[], [.string("Ada")]])
      try await assertSound(store)
    }
    try await test.close()
  }
}
