import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

/// What a tool does that knows no model: everything by names.
final class EntityAccessTests: XCTestCase {
  private func error<Failure: Error>(_ type: Failure.Type, _ body: () throws -> Void) -> Failure? {
    do {
      try body()
      return nil
    } catch {
      return error as? Failure
    }
  }

  func testAnImporterInsertsFindsAndRelatesWithoutKnowingTheModels() async throws {
    let test = try TestStore(Schema(Guest.self, Hotel.self))
    let context = RootContext(test.store, isolation: nil)
    let (guests, hotels) = (try test.store.entity(named: "Guest"), try test.store.entity(named: "Hotel"))
    XCTAssertEqual(
      error(PropertyError.self) { _ = try test.store.entity(named: "Inn") }, .unknownEntity("Inn"))
    let ritz = try context.insert(hotels, ["name": .string("Ritz")])
    let ids = try ["Ada", "Bob", "Cid"].map { name in
      try context.insert(
        guests,
        ["first": .string(name), "last": .string("X"), "age": .int(36), "hotel": .reference(ritz._storage.id)]
      )._storage.id
    }
    try await context.save()
    XCTAssertEqual(try ritz.members(of: "guests"), ids)
    XCTAssertEqual(try context.count(guests), 3)
    XCTAssertEqual(try context.count(guests, ["hotel.name": .string("Ritz"), "first": .string("Bob")]), 1)
    XCTAssertEqual(try context.count(guests, ["hotel": .null]), 0)
    let found = try context.fetch(guests, ["age": .int(36)], sortedBy: "fullName", limit: 2, offset: 1)
    XCTAssertEqual(found.map(\._storage.id), Array(ids[1...]))
    XCTAssertEqual(try context.fetch(guests, ["fullName": .string("Ada X")]).map(\._storage.id), [ids[0]])
    XCTAssertEqual(error(FetchError.self) { _ = try context.fetch(guests, offset: -1) }, .negativeOffset(-1))
    XCTAssertEqual(error(FetchError.self) { _ = try context.fetch(guests, limit: -1) }, .negativeLimit(-1))
    XCTAssertNotNil(error(FetchError.self) { _ = try context.fetch(guests, ["age": .string("x")]) })
    XCTAssertNotNil(error(FetchError.self) { _ = try context.fetch(guests, ["stars": .int(1)]) })
    XCTAssertNotNil(error(FetchError.self) { _ = try context.fetch(hotels, ["guests": .int(1)]) })
    func older<Model: PersistentModel>(_ model: Model.Type, than age: Int64) throws -> Int {
      let field = try AnyField<Model>(named: "age")
      XCTAssertEqual(try context.count(Fetch<Model> { _ in field != .int(age) && field.isIn([.int(36)]) }), 3)
      return try context.count(Fetch<Model> { _ in field > .int(age) && !(field <= .int(age)) })
    }
    XCTAssertEqual(try older(guests.model, than: 35), 3)
    XCTAssertEqual(try older(guests.model, than: 35), 3)

    // The order of members, by name.
    try ritz.insert(ids[2], into: "guests", at: 0)
    XCTAssertEqual(try ritz.members(of: "guests"), [ids[2], ids[0], ids[1]])
    XCTAssertEqual(ritz.pendingChanges, [.init(property: "guests", form: .members(added: [], removed: []))])
    try ritz.remove(ids[0], from: "guests")
    try ritz.insert(ids[1], into: "guests")
    XCTAssertEqual(try ritz.members(of: "guests"), [ids[2], ids[1]])
    XCTAssertEqual(ritz.pendingChanges, [.init(property: "guests", form: .members(added: [], removed: [ids[0]]))])
    XCTAssertEqual(ritz.changedProperties, ["guests"])
    try ritz.setMembers(of: "guests", to: [ids[0], ids[1], ids[2]])
    XCTAssertEqual(try ritz.members(of: "guests"), ids)
    context.undo()
    XCTAssertEqual(try ritz.members(of: "guests"), [ids[2], ids[1]])
  }

  func testWhatDoesNotFitIsRefusedAndNothingHasChanged() throws {
    let test = try TestStore(Schema(Guest.self, Hotel.self))
    let context = RootContext(test.store, isolation: nil)
    let hotel = context.insert(Hotel("Ritz"))
    let guest = context.insert(Guest("Ada", "X"))
    let before = context.changes
    let stranger = AnyObjectID(Guest.entity.interned, UniqueID())
    let home = AnyObjectID(Hotel.entity.interned, UniqueID())
    for values: [String: PropertyValue] in [
      ["first": .int(1)], ["stars": .int(1)], ["fullName": .string("x")], ["hotel": .reference(guest.id.any)],
      ["hotel": .reference(home)], ["first": .null],
    ] {
      XCTAssertNotNil(error(PropertyError.self) { try context.insert(Guest.entity, values) }, "\(values)")
    }
    XCTAssertEqual(
      error(PropertyError.self) { try context.insert(Hotel.entity, ["guests": .null]) },
      .toMany("guests", entity: "Hotel"))
    XCTAssertEqual(
      error(PropertyError.self) { try context.insert(Item.entity) }, .unknownEntity("Item"))
    XCTAssertEqual(
      error(PropertyError.self) { try hotel.insert(stranger, into: "guests") },
      .missingTarget(stranger, property: "guests", entity: "Hotel"))
    XCTAssertEqual(
      error(PropertyError.self) { try hotel.setMembers(of: "guests", to: [guest.id.any, hotel.id.any]) },
      .invalidValue(
        InvalidValue(
          object: hotel.id.any, property: "guests", value: .reference(hotel.id.any),
          reason: .typeMismatch(expected: "an object of Guest"))))
    XCTAssertEqual(
      error(PropertyError.self) { try guest.insert(hotel.id.any, into: "hotel") },
      .notToMany("hotel", entity: "Guest"))
    XCTAssertEqual(context.changes, before)
  }

  func testPendingChangesTellMembersOfEachKindOfRelationship() async throws {
    let test = try TestStore(Schema(Playlist.self, Song.self, Album.self))
    let context = RootContext(test.store, isolation: nil)
    let ends = test.store.entities.flatMap { entity in entity.relationships.map { (entity, $0) } }
      .filter { $0.1.kind == .toMany }
    XCTAssertEqual(ends.map { $0.1.name }.sorted(), ["playlists", "songs", "songs"])
    for (entity, property) in ends {
      let target = try XCTUnwrap(property.target)
      let owner = try context.insert(entity)
      let members = try (0..<3).map { _ in try context.insert(target)._storage.id }
      try await context.save()
      XCTAssertEqual(owner.pendingChanges, [])
      try owner.setMembers(of: property.name, to: [members[0], members[1]])
      XCTAssertTrue(
        owner.pendingChanges.contains(
          .init(property: property.name, form: .members(added: [members[0], members[1]], removed: []))),
        "\(property.name): \(owner.pendingChanges)")
      try await context.save()
      XCTAssertEqual(owner.pendingChanges, [])
      let child = context.makeChild()
      let edited = try child.object(owner._storage.id)
      try edited.remove(members[0], from: property.name)
      try edited.insert(members[2], into: property.name)
      XCTAssertEqual(
        edited.pendingChanges,
        [.init(property: property.name, form: .members(added: [members[2]], removed: [members[0]]))])
      XCTAssertEqual(owner.pendingChanges, [])
      if let back = property.inverse ?? target.relationships.first(where: { $0.target === entity })?.name,
        target.property(named: back)?.kind == .toMany
      {
        let member = try child.object(members[2])
        XCTAssertEqual(
          member.pendingChanges,
          [.init(property: back, form: .members(added: [owner._storage.id], removed: []))])
      }
      child.discard()
    }
  }
}
