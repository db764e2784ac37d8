import RepriseObjectModel
import RepriseQuery

// Two models written by hand, with nothing that a user of the library without the macro does not have.

package final class Item: PersistentModel {
  package static let entity = Entity(
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

  package let _storage: ObjectStorage
  package init(_storage: ObjectStorage) { self._storage = _storage }

  package init(name: String, valueInDollars: Int = 0) {
    _storage = ObjectStorage(Item.entity)
    self.name = name
    self.valueInDollars = valueInDollars
  }

  package var name: String {
    get { _storage.get(0) }
    set { _storage.set(0, newValue) }
  }
  package var valueInDollars: Int {
    get { _storage.get(1) }
    set { _storage.set(1, newValue) }
  }
  package var weight: Double? {
    get { _storage.get(2) }
    set { _storage.set(2, newValue) }
  }
  package var photo: [UInt8]? {
    get { _storage.get(3) }
    set { _storage.set(3, newValue) }
  }
  package var condition: ItemCondition {
    get { _storage.get(4) }
    set { _storage.set(4, newValue) }
  }
  package var isInsured: Bool {
    get { _storage.get(5) }
    set { _storage.set(5, newValue) }
  }
  package var owner: Person? {
    get { _storage.toOne(6) }
    set { _storage.setToOne(6, newValue, of: self) }
  }

  package static var _keyPaths: [AnyKeyPath: String] {
    [
      \Item.id: "", \Item.name: "name", \Item.valueInDollars: "valueInDollars", \Item.weight: "weight",
      \Item.photo: "photo",
      \Item.condition: "condition", \Item.isInsured: "isInsured", \Item.owner: "owner",
    ]
  }

  package struct Fields: FieldSet {
    package typealias Model = Item
    package let name: Field<Item, String>
    package let valueInDollars: Field<Item, Int>
    package let weight: Field<Item, Double>
    package let photo: Field<Item, [UInt8]>
    package let condition: Field<Item, ItemCondition>
    package let isInsured: Field<Item, Bool>
    package let owner: ToOneField<Item, Person>

    package init(_ path: FieldPath) {
      name = Field(path.appending("name"))
      valueInDollars = Field(path.appending("valueInDollars"))
      weight = Field(path.appending("weight"))
      photo = Field(path.appending("photo"))
      condition = Field(path.appending("condition"))
      isInsured = Field(path.appending("isInsured"))
      owner = ToOneField(path.appending("owner"))
    }
  }

  package struct Snapshot: Hashable, Sendable {
    package let id: Item.ID
    package let name: String
    package let valueInDollars: Int
    package let weight: Double?
    package let photo: [UInt8]?
    package let condition: ItemCondition
    package let isInsured: Bool
    package let owner: Person.ID?
  }

  package var snapshot: Snapshot {
    Snapshot(
      id: id, name: name, valueInDollars: valueInDollars, weight: weight, photo: photo, condition: condition,
      isInsured: isInsured, owner: _storage.toOneID(6, as: Person.self))
  }
}

package enum ItemCondition: String, AttributeValue {
  case good
  case worn
  case broken
}

package final class Person: PersistentModel {
  package static let entity = Entity(
    Person.self, name: "Person",
    properties: [
      .attribute("name", String.self),
      .attribute("zip", Int.self, default: 0, indexed: true),
      .toMany("items", Item.self, deleteRule: .cascade),
      .toOne("boss", Person.self, inverse: "reports"),
      .toMany("reports", Person.self),
    ])

  package let _storage: ObjectStorage
  package init(_storage: ObjectStorage) { self._storage = _storage }

  package init(name: String, zip: Int = 0) {
    _storage = ObjectStorage(Person.entity)
    self.name = name
    self.zip = zip
  }

  package var name: String {
    get { _storage.get(0) }
    set { _storage.set(0, newValue) }
  }
  package var zip: Int {
    get { _storage.get(1) }
    set { _storage.set(1, newValue) }
  }
  package var items: ToMany<Item> { ToMany(2, of: self) }
  package var boss: Person? {
    get { _storage.toOne(3) }
    set { _storage.setToOne(3, newValue, of: self) }
  }
  package var reports: ToMany<Person> { ToMany(4, of: self) }

  package static var _keyPaths: [AnyKeyPath: String] {
    [
      \Person.id: "", \Person.name: "name", \Person.zip: "zip", \Person.items: "items", \Person.boss: "boss",
      \Person.reports: "reports",
    ]
  }

  package struct Fields: FieldSet {
    package typealias Model = Person
    package let name: Field<Person, String>
    package let zip: Field<Person, Int>
    package let items: ToManyField<Person, Item>
    package let boss: ToOneField<Person, Person>
    package let reports: ToManyField<Person, Person>

    package init(_ path: FieldPath) {
      name = Field(path.appending("name"))
      zip = Field(path.appending("zip"))
      items = ToManyField(path.appending("items"))
      boss = ToOneField(path.appending("boss"))
      reports = ToManyField(path.appending("reports"))
    }
  }

  package struct Snapshot: Hashable, Sendable {
    package let id: Person.ID
    package let name: String
    package let zip: Int
    package let boss: Person.ID?
  }

  package var snapshot: Snapshot { Snapshot(id: id, name: name, zip: zip, boss: _storage.toOneID(3, as: Person.self)) }
}
