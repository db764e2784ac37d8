import RepriseObjectModel
import RepriseQuery

/// A model by hand with rules of attributes and of its own, and with a derived attribute.
final class Guest: PersistentModel, ValidatableModel {
  static let entity = Entity(
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

  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
  init(_ first: String, _ last: String, age: Int? = nil) {
    _storage = ObjectStorage(Self.entity)
    self.first = first
    self.last = last
    self.age = age
  }

  var first: String {
    get { _storage.get(0) }
    set { _storage.set(0, newValue) }
  }
  var last: String {
    get { _storage.get(1) }
    set { _storage.set(1, newValue) }
  }
  var age: Int? {
    get { _storage.get(2) }
    set { _storage.set(2, newValue) }
  }
  var arrival: Int {
    get { _storage.get(3) }
    set { _storage.set(3, newValue) }
  }
  var departure: Int {
    get { _storage.get(4) }
    set { _storage.set(4, newValue) }
  }
  var mood: Mood {
    get { _storage.get(5) }
    set { _storage.set(5, newValue) }
  }
  var fullName: String { "\(first) \(last)" }
  var hotel: Hotel? {
    get { _storage.toOne(7) }
    set { _storage.setToOne(7, newValue, of: self) }
  }

  func validate(_ violations: inout Violations<Guest>) {
    if departure < arrival { violations.add("leaves before arriving", \.arrival, \.departure) }
    if let hotel, hotel.name == "closed" { violations.add("stays in a closed hotel", of: ["hotel"]) }
  }

  static var _keyPaths: [AnyKeyPath: String] {
    [\Guest.arrival: "arrival", \Guest.departure: "departure", \Guest.fullName: "fullName"]
  }

  struct Fields: FieldSet {
    typealias Model = Guest
    let first: Field<Guest, String>
    let last: Field<Guest, String>
    let age: Field<Guest, Int>
    let arrival: Field<Guest, Int>
    let departure: Field<Guest, Int>
    let mood: Field<Guest, Mood>
    let fullName: Field<Guest, String>
    init(_ path: FieldPath) {
      first = Field(path.appending("first"))
      last = Field(path.appending("last"))
      age = Field(path.appending("age"))
      arrival = Field(path.appending("arrival"))
      departure = Field(path.appending("departure"))
      mood = Field(path.appending("mood"))
      fullName = Field(path.appending("fullName"))
    }
  }
  struct Snapshot: Sendable {}
  var snapshot: Snapshot { Snapshot() }
}

enum Mood: String, AttributeValue { case calm, glad, cross }

final class Hotel: PersistentModel {
  static let entity = Entity(
    Hotel.self, name: "Hotel",
    properties: [
      .attribute("name", String.self), .toMany("guests", Guest.self, deleteRule: .nullify, isOrdered: true),
    ])

  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
  init(_ name: String) {
    _storage = ObjectStorage(Self.entity)
    self.name = name
  }
  var name: String {
    get { _storage.get(0) }
    set { _storage.set(0, newValue) }
  }
  var guests: OrderedToMany<Guest> {
    get { OrderedToMany(1, of: self) }
    set { _storage.setToMany(1, newValue, of: self) }
  }
  struct Fields: FieldSet {
    typealias Model = Hotel
    let name: Field<Hotel, String>
    init(_ path: FieldPath) { name = Field(path.appending("name")) }
  }
  struct Snapshot: Sendable {}
  var snapshot: Snapshot { Snapshot() }
}
