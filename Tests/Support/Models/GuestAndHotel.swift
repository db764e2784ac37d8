import RepriseObjectModel
import RepriseQuery

/// A model with rules for its attributes, a `validate` method and a derived attribute, written by hand.
package final class Guest: TestModel, ValidatableModel {
  package static let entity = Entity(
    Guest.self, name: "Guest",
    properties: [
      .attribute("first", String.self, rules: [.length(1...20), .pattern("[A-Z][a-z]*")]),
      .attribute("last", String.self),
      .attribute("age", Int?.self, merge: .counter, rules: [.range(0...120)]),
      .attribute("arrival", Int.self),
      .attribute("departure", Int.self),
      .attribute("mood", Mood.self, default: .calm, rules: [.allowedValues(.calm, .glad)]),
      .derived(
        "fullName", String.self, of: Guest.self, indexed: true,
        rules: [.valid("it has two words") { $0.contains(" ") }]
      ) { $0.fullName },
      .toOne("hotel", Hotel.self, inverse: "guests"),
      .unique(["fullName"]),
    ])

  package enum Mood: String, AttributeValue { case calm, glad, cross }

  package let _storage: ObjectStorage
  package init(_storage: ObjectStorage) { self._storage = _storage }
  package init(_ first: String, _ last: String, age: Int? = nil) {
    _storage = ObjectStorage(Self.entity)
    self.first = first
    self.last = last
    self.age = age
  }

  @Stored(0) package var first: String
  @Stored(1) package var last: String
  @Stored(2) package var age: Int?
  @Stored(3) package var arrival: Int
  @Stored(4) package var departure: Int
  @Stored(5) package var mood: Mood
  package var fullName: String { "\(first) \(last)" }
  @Linked(7) package var hotel: Hotel?

  package func validate(_ violations: inout Violations<Guest>) {
    if departure < arrival { violations.add("leaves before arriving", \.arrival, \.departure) }
    if let hotel, hotel.name == "closed" { violations.add("stays in a closed hotel", of: ["hotel"]) }
  }

  package static var _keyPaths: [AnyKeyPath: String] {
    [\Guest.arrival: "arrival", \Guest.departure: "departure", \Guest.fullName: "fullName"]
  }

  package struct Fields: FieldSet {
    package typealias Model = Guest
    let path: FieldPath
    package init(_ path: FieldPath) { self.path = path }
    package var first: Field<Guest, String> { Field(path.appending("first")) }
    package var last: Field<Guest, String> { Field(path.appending("last")) }
    package var age: Field<Guest, Int> { Field(path.appending("age")) }
    package var arrival: Field<Guest, Int> { Field(path.appending("arrival")) }
    package var departure: Field<Guest, Int> { Field(path.appending("departure")) }
    package var mood: Field<Guest, Mood> { Field(path.appending("mood")) }
    package var fullName: Field<Guest, String> { Field(path.appending("fullName")) }
  }
}

package final class Hotel: TestModel {
  package static let entity = Entity(
    Hotel.self, name: "Hotel",
    properties: [
      .attribute("name", String.self), .toMany("guests", Guest.self, deleteRule: .nullify, isOrdered: true),
    ])

  package let _storage: ObjectStorage
  package init(_storage: ObjectStorage) { self._storage = _storage }
  package init(_ name: String) {
    _storage = ObjectStorage(Self.entity)
    self.name = name
  }
  @Stored(0) package var name: String
  package var guests: OrderedToMany<Guest> {
    get { OrderedToMany(1, of: self) }
    set { _storage.setToMany(1, newValue, of: self) }
  }
  package struct Fields: FieldSet {
    package typealias Model = Hotel
    package let name: Field<Hotel, String>
    package init(_ path: FieldPath) { name = Field(path.appending("name")) }
  }
}

/// A guest of an earlier program, which derives nothing.
package final class PlainGuest: TestModel {
  package static let entity = Entity(
    PlainGuest.self, name: "Guest",
    properties: [
      .attribute("first", String.self), .attribute("last", String.self),
      .attribute("age", Int?.self, merge: .counter), .attribute("arrival", Int.self),
      .attribute("departure", Int.self), .attribute("mood", Guest.Mood.self, default: .calm),
    ])

  package let _storage: ObjectStorage
  package init(_storage: ObjectStorage) { self._storage = _storage }
  package init(_ first: String, _ last: String) {
    _storage = ObjectStorage(Self.entity)
    self.first = first
    self.last = last
  }

  @Stored(0) package var first: String
  @Stored(1) package var last: String

  package struct Fields: FieldSet {
    package typealias Model = PlainGuest
    let path: FieldPath
    package init(_ path: FieldPath) { self.path = path }
  }
}
