import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

/// What tools do that are written once for all models.
final class NameAccessTests: XCTestCase {
  private func error(_ body: () throws -> Void) -> PropertyError? {
    do {
      try body()
      return nil
    } catch {
      return error as? PropertyError
    }
  }

  func testEveryPropertyIsListedAndReadByItsName() throws {
    let test = try TestStore(Schema(Guest.self, Hotel.self))
    let context = RootContext(test.store, isolation: nil)
    let hotel = context.insert(Hotel("Ritz"))
    let guest = context.insert(Guest("Ada", "Byron", age: 36))
    XCTAssertEqual(
      Guest.entity.attributes.map(\.name), ["first", "last", "age", "arrival", "departure", "mood", "fullName"])
    XCTAssertEqual(Guest.entity.relationships.map(\.name), ["hotel"])
    XCTAssertEqual(Guest.entity.property(named: "hotel")?.target, Hotel.entity)
    XCTAssertEqual(Hotel.entity.property(named: "guests")?.kind, .toMany)
    XCTAssertEqual(Hotel.entity.property(named: "guests")?.isOrdered, true)
    XCTAssertEqual(Guest.entity.property(named: "age")?.rules, [.range("0...120")])
    XCTAssertEqual(Guest.entity.property(named: "age")?.isOptional, true)
    XCTAssertEqual(Guest.entity.property(named: "fullName")?.isDerived, true)
    XCTAssertTrue(Guest.entity.property(named: "mood")?.type == Guest.Mood.self)
    guest.hotel = hotel
    XCTAssertEqual(test.store.entities, [Guest.entity, Hotel.entity])
    for object in [guest as any PersistentModel, Guest("Bob", "K")] {
      XCTAssertEqual(try object["first"], .string(object === guest ? "Ada" : "Bob"))
      XCTAssertEqual(try object["fullName"], .string(object === guest ? "Ada Byron" : "Bob K"))
      XCTAssertEqual(try object["hotel"], object === guest ? .reference(hotel.id.any) : .null)
      XCTAssertEqual(error { _ = try object["hotels"] }, .unknown("hotels", entity: "Guest"))
      XCTAssertEqual(error { _ = try object["[fullName]"] }, .unknown("[fullName]", entity: "Guest"))
      XCTAssertEqual(error { _ = try object.members(of: "hotel") }, .notToMany("hotel", entity: "Guest"))
    }
    XCTAssertEqual(try hotel.members(of: "guests"), [guest.id.any])
    XCTAssertEqual(error { _ = try (hotel as any PersistentModel)["guests"] }, .toMany("guests", entity: "Hotel"))
    XCTAssertTrue(guest.context === context)
    XCTAssertNil(Guest("Bob", "K").context)
  }

  func testAnAssignmentByNameIsThatOfTheSetterOrRefused() async throws {
    let test = try TestStore(Schema(Guest.self, Hotel.self))
    let context = RootContext(test.store, isolation: nil)
    let hotel = context.insert(Hotel("Ritz"))
    let guest = context.insert(Guest("Ada", "Byron"))
    try await context.save()
    try guest.set("age", to: .int(36))
    try guest.set("hotel", to: .reference(hotel.id.any))
    XCTAssertEqual(guest.age, 36)
    XCTAssertEqual(guest.hotel, hotel)
    XCTAssertEqual(hotel.guests.map(\.first), ["Ada"])
    context.undo()
    XCTAssertNil(guest.hotel)
    let before = context.changes
    let stranger = AnyObjectID(Hotel.entity.interned, UniqueID())
    func invalid(_ name: String, _ value: PropertyValue, _ reason: InvalidValue.Reason) -> PropertyError {
      .invalidValue(InvalidValue(object: guest.id.any, property: name, value: value, reason: reason))
    }
    XCTAssertEqual(
      error { try guest.set("age", to: .string("x")) },
      invalid("age", .string("x"), .typeMismatch(expected: "an integer")))
    XCTAssertEqual(error { try guest.set("first", to: .null) }, invalid("first", .null, .missing))
    XCTAssertEqual(
      error { try guest.set("mood", to: .string("sad")) }, invalid("mood", .string("sad"), .outOfRange))
    XCTAssertEqual(
      error { try guest.set("hotel", to: .reference(guest.id.any)) },
      invalid("hotel", .reference(guest.id.any), .typeMismatch(expected: "an object of Hotel")))
    XCTAssertEqual(
      error { try guest.set("hotel", to: .reference(stranger)) },
      .missingTarget(stranger, property: "hotel", entity: "Guest"))
    XCTAssertEqual(error { try guest.set("fullName", to: .string("x")) }, .derived("fullName", entity: "Guest"))
    XCTAssertEqual(error { try hotel.set("guests", to: .null) }, .toMany("guests", entity: "Hotel"))
    XCTAssertEqual(error { try guest.set("x", to: .null) }, .unknown("x", entity: "Guest"))
    XCTAssertEqual(context.changes, before)
    let detached = Guest("Bob", "K")
    detached.hotel = Hotel("Savoy")
    try detached.set("age", to: .int(3))
    try detached.set("hotel", to: .null)
    XCTAssertEqual(detached.age, 3)
    XCTAssertNil(detached.hotel)
    let past = try test.store.context(at: test.store.log.head)
    let old = try past.object(guest.id)
    XCTAssertEqual(error { try old.set("age", to: .int(1)) }, .readOnly(guest.id.any))
  }

  func testATargetThatCannotBeReadIsNotMissing() async throws {
    let test = try TestStore()
    let first = RootContext(test.store, isolation: nil)
    let (item, person) = (first.insert(Item(name: "one")), first.insert(Person(name: "Ada")))
    try await first.save()
    let (id, itemID) = (person.id.any, item.id)
    try test.store.damageRecords([id], XCTUnwrap(test.store.map.map(Person.entity.interned)))
    let context = RootContext(test.store, isolation: nil)
    let same = try context.object(itemID)
    let attempts: [() throws -> Void] = [
      { try same.set("owner", to: .reference(id)) },
      { try context.insert(Item.entity, ["owner": .reference(id)]) },
      // As under the name of an entity that it has no more.
      { _ = try context.object(uri: test.store.uri(for: AnyObjectID(Item.entity.interned, id.uuid))) },
    ]
    for attempt in attempts {
      XCTAssertThrowsError(try attempt()) { error in
        guard case LookupError.unreadable(id, _) = error else { return XCTFail("\(error)") }
      }
    }
    XCTAssertFalse(context.hasChanges)
  }

  func testAPendingChangeHasItsOldAndNewValues() async throws {
    let test = try TestStore(Schema(Guest.self, Hotel.self))
    let context = RootContext(test.store, isolation: nil)
    let guest = context.insert(Guest("Ada", "Byron"))
    XCTAssertEqual(Set(guest.changedProperties), ["first", "last", "arrival", "departure", "mood", "fullName"])
    XCTAssertEqual(try guest.committedValue(of: "first"), .null)
    try await context.save()
    XCTAssertEqual(guest.changedProperties, [])
    guest.last = "King"
    XCTAssertEqual(
      guest.pendingChanges,
      [
        PropertyDifference(property: "last", form: .value(from: .string("Byron"), to: .string("King"))),
        PropertyDifference(property: "fullName", form: .value(from: .string("Ada Byron"), to: .string("Ada King"))),
      ])
    let child = context.makeChild()
    let edited = try child.object(guest.id)
    XCTAssertEqual(edited.changedProperties, [])
    edited.first = "Augusta"
    XCTAssertEqual(try edited.committedValue(of: "fullName"), .string("Ada King"))
    XCTAssertEqual(try edited.committedValue(of: "first"), .string("Ada"))
    XCTAssertEqual(try guest.committedValue(of: "last"), .string("Byron"))
    XCTAssertEqual(try guest.committedValue(of: "arrival"), .int(0))
    XCTAssertEqual(error { _ = try guest.committedValue(of: "x") }, .unknown("x", entity: "Guest"))
    guest.last = "Byron"
    XCTAssertEqual(guest.changedProperties, [])
    context.delete(guest)
    let gone = PropertyDifference(property: "last", form: .value(from: .string("Byron"), to: .null))
    XCTAssertTrue(guest.pendingChanges.contains(gone))
  }

  func testACommittedValueIsThatOfTheLog() async throws {
    let test = try TestStore()
    let context = RootContext(test.store, isolation: nil)
    let item = context.insert(Item(name: "one"))
    try await context.save()
    let past = try test.store.context(at: test.store.log.head, isolation: nil)
    item.name = "two"
    try await context.save()
    XCTAssertEqual(try past.object(item.id).committedValue(of: "name"), .string("one"))
    XCTAssertEqual(try item.committedValue(of: "name"), .string("two"))
    context.delete(item)
    XCTAssertEqual(try item.committedValue(of: "name"), .string("two"))
    try await context.save()
    XCTAssertEqual(item.name, "two", "a deleted object keeps its last values")
    XCTAssertEqual(try item.committedValue(of: "name"), .null)
    XCTAssertEqual(try Item(name: "detached").committedValue(of: "name"), .null)
  }

  func testAnObjectIsPrintedAndNotItsStore() async throws {
    let test = try TestStore(Schema(Guest.self, Hotel.self))
    let context = RootContext(test.store, isolation: nil)
    let guest = context.insert(Guest("Ada", "Byron", age: 36))
    guest.hotel = Hotel("Ritz")
    let hotel = try XCTUnwrap(guest.hotel)
    let values =
      "first: \"Ada\", last: \"Byron\", age: 36, arrival: 0, departure: 0, mood: \"calm\", "
      + "fullName: \"Ada Byron\", hotel: \(hotel.id)"
    XCTAssertEqual("\(guest)", "\(guest.id)(\(values), not saved)")
    try await context.save()
    XCTAssertEqual("\(guest)", "\(guest.id)(\(values))")
    XCTAssertEqual(String(reflecting: guest), "\(guest.id)(\(values))")
    context.delete(guest)
    XCTAssertEqual("\(guest)", "\(guest.id)(\(values), deleted)")
    context.undo()
    var text = ""
    dump(guest, to: &text)
    XCTAssertTrue(text.contains("- first: \"Ada\""), text)
    XCTAssertTrue(text.contains("mood: \(String(reflecting: Guest.Mood.calm))"), text)
    XCTAssertFalse(text.contains("ObjectStorage"), text)
    XCTAssertLessThan(text.utf8.count, 1_000, text)
    text = ""
    dump(hotel, to: &text)
    XCTAssertTrue(text.contains("- guests: \"0 objects\"") || text.contains("- guests: \"1 object\""), text)
    XCTAssertTrue("\(Hotel("Savoy"))".hasSuffix("(name: \"Savoy\", in no context)"))
  }
}
