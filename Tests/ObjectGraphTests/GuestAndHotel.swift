import RepriseObjectModel
import RepriseQuery
import RepriseTestModels

/// A model by hand with rules of attributes and of its own, and with a derived attribute.
final class Guest: TestModel, ValidatableModel {
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

  @Stored(0) var first: String
  @Stored(1) var last: String
  @Stored(2) var age: Int?
  @Stored(3) var arrival: Int
  @Stored(4) var departure: Int
  @Stored(5) var mood: Mood
  var fullName: String { "\(first) \(last)" }
  @Linked(7) var hotel: Hotel?

  func validate(_ violations: inout Violations<Guest>) {
    if departure < arrival { violations.add("leaves before arriving", \.arrival, \.departure) }
    if let hotel, hotel.name == "closed" { violations.add("stays in a closed hotel", of: ["hotel"]) }
  }

  static var _keyPaths: [AnyKeyPath: String] {
    [\Guest.arrival: "arrival", \Guest.departure: "departure", \Guest.fullName: "fullName"]
  }

  struct Fields: FieldSet {
    typealias Model = Guest
    let path: FieldPath
    init(_ path: FieldPath) { self.path = path }
    var first: Field<Guest, String> { Field(path.appending("first")) }
    var last: Field<Guest, String> { Field(path.appending("last")) }
    var age: Field<Guest, Int> { Field(path.appending("age")) }
    var arrival: Field<Guest, Int> { Field(path.appending("arrival")) }
    var departure: Field<Guest, Int> { Field(path.appending("departure")) }
    var mood: Field<Guest, Mood> { Field(path.appending("mood")) }
    var fullName: Field<Guest, String> { Field(path.appending("fullName")) }
  }
}

enum Mood: String, AttributeValue { case calm, glad, cross }

final class Hotel: TestModel {
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
  @Stored(0) var name: String
  var guests: OrderedToMany<Guest> {
    get { OrderedToMany(1, of: self) }
    set { _storage.setToMany(1, newValue, of: self) }
  }
  struct Fields: FieldSet {
    typealias Model = Hotel
    let name: Field<Hotel, String>
    init(_ path: FieldPath) { name = Field(path.appending("name")) }
  }
}
