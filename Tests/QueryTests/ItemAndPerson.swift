import RepriseObjectModel
import RepriseQuery

// Two models written by hand, with nothing that a user of the library without the macro does not have. Copied into the
// tests of other targets as it stands.

final class Item: PersistentModel {
  static let entity = Entity(
    Item.self, name: "Item",
    properties: [
      .attribute("name", String.self, indexed: true),
      .attribute("valueInDollars", Int.self, default: 0, indexed: true),
      .attribute("weight", Double?.self),
      .attribute("photo", [UInt8]?.self),
      .attribute("condition", ItemCondition.self, default: .good),
      .attribute("isInsured", Bool.self),
      .toOne("owner", Person.self, inverse: "items"),
    ])

  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }

  init(name: String, valueInDollars: Int = 0) {
    _storage = ObjectStorage(Item.entity)
    self.name = name
    self.valueInDollars = valueInDollars
  }

  var name: String {
    get { _storage.get(0) }
    set { _storage.set(0, newValue) }
  }
  var valueInDollars: Int {
    get { _storage.get(1) }
    set { _storage.set(1, newValue) }
  }
  var weight: Double? {
    get { _storage.get(2) }
    set { _storage.set(2, newValue) }
  }
  var photo: [UInt8]? {
    get { _storage.get(3) }
    set { _storage.set(3, newValue) }
  }
  var condition: ItemCondition {
    get { _storage.get(4) }
    set { _storage.set(4, newValue) }
  }
  var isInsured: Bool {
    get { _storage.get(5) }
    set { _storage.set(5, newValue) }
  }
  var owner: Person? {
    get { _storage.toOne(6) }
    set { _storage.setToOne(6, newValue, of: self) }
  }

  struct Fields: FieldSet {
    typealias Model = Item
    let name: Field<Item, String>
    let valueInDollars: Field<Item, Int>
    let weight: Field<Item, Double>
    let photo: Field<Item, [UInt8]>
    let condition: Field<Item, ItemCondition>
    let isInsured: Field<Item, Bool>
    let owner: ToOneField<Item, Person>

    init(_ path: FieldPath) {
      name = Field(path.appending("name"))
      valueInDollars = Field(path.appending("valueInDollars"))
      weight = Field(path.appending("weight"))
      photo = Field(path.appending("photo"))
      condition = Field(path.appending("condition"))
      isInsured = Field(path.appending("isInsured"))
      owner = ToOneField(path.appending("owner"))
    }
  }

  struct Snapshot: Hashable, Sendable {
    let id: Item.ID
    let name: String
    let valueInDollars: Int
    let weight: Double?
    let photo: [UInt8]?
    let condition: ItemCondition
    let isInsured: Bool
    let owner: Person.ID?
  }

  var snapshot: Snapshot {
    Snapshot(
      id: id, name: name, valueInDollars: valueInDollars, weight: weight, photo: photo, condition: condition,
      isInsured: isInsured, owner: _storage.toOneID(6, as: Person.self))
  }
}

enum ItemCondition: String, AttributeValue {
  case good
  case worn
  case broken
}

final class Person: PersistentModel {
  static let entity = Entity(
    Person.self, name: "Person",
    properties: [
      .attribute("name", String.self),
      .attribute("zip", Int.self, default: 0, indexed: true),
      .toMany("items", Item.self, deleteRule: .cascade),
      .toOne("boss", Person.self, inverse: "reports"),
      .toMany("reports", Person.self),
    ])

  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }

  init(name: String, zip: Int = 0) {
    _storage = ObjectStorage(Person.entity)
    self.name = name
    self.zip = zip
  }

  var name: String {
    get { _storage.get(0) }
    set { _storage.set(0, newValue) }
  }
  var zip: Int {
    get { _storage.get(1) }
    set { _storage.set(1, newValue) }
  }
  var items: ToMany<Item> { ToMany(2, of: self) }
  var boss: Person? {
    get { _storage.toOne(3) }
    set { _storage.setToOne(3, newValue, of: self) }
  }
  var reports: ToMany<Person> { ToMany(4, of: self) }

  struct Fields: FieldSet {
    typealias Model = Person
    let name: Field<Person, String>
    let zip: Field<Person, Int>
    let items: ToManyField<Person, Item>
    let boss: ToOneField<Person, Person>
    let reports: ToManyField<Person, Person>

    init(_ path: FieldPath) {
      name = Field(path.appending("name"))
      zip = Field(path.appending("zip"))
      items = ToManyField(path.appending("items"))
      boss = ToOneField(path.appending("boss"))
      reports = ToManyField(path.appending("reports"))
    }
  }

  struct Snapshot: Hashable, Sendable {
    let id: Person.ID
    let name: String
    let zip: Int
    let boss: Person.ID?
  }

  var snapshot: Snapshot { Snapshot(id: id, name: name, zip: zip, boss: _storage.toOneID(3, as: Person.self)) }
}
