import RepriseCore

// Models with an attribute of each kind and a relationship of each shape, written by hand.

final class Thing: PersistentModel {
  static let entity = Entity(
    Thing.self, name: "Thing",
    properties: [
      .attribute("title", String.self, indexed: true),
      .attribute("count", Int.self, indexed: true),
      .attribute("big", UInt64.self),
      .attribute("ratio", Double?.self),
      .attribute("flag", Bool.self),
      .attribute("data", [UInt8]?.self),
      .attribute("moment", Moment?.self),
      .attribute("token", UniqueID?.self),
      .attribute("grade", Grade.self, default: .good),
      .toOne("holder", Holder.self, inverse: "things"),
      .toOne("shelf", Holder.self, inverse: "shelved"),
      .toOne("label", Label.self, inverse: "thing", deleteRule: .cascade),
    ])

  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }

  init(title: String, count: Int) {
    _storage = ObjectStorage(Thing.entity)
    self.title = title
    self.count = count
  }

  var title: String {
    get { _storage.get(0) }
    set { _storage.set(0, newValue) }
  }
  var count: Int {
    get { _storage.get(1) }
    set { _storage.set(1, newValue) }
  }
  var big: UInt64 {
    get { _storage.get(2) }
    set { _storage.set(2, newValue) }
  }
  var ratio: Double? {
    get { _storage.get(3) }
    set { _storage.set(3, newValue) }
  }
  var flag: Bool {
    get { _storage.get(4) }
    set { _storage.set(4, newValue) }
  }
  var data: [UInt8]? {
    get { _storage.get(5) }
    set { _storage.set(5, newValue) }
  }
  var moment: Moment? {
    get { _storage.get(6) }
    set { _storage.set(6, newValue) }
  }
  var token: UniqueID? {
    get { _storage.get(7) }
    set { _storage.set(7, newValue) }
  }
  var grade: Grade {
    get { _storage.get(8) }
    set { _storage.set(8, newValue) }
  }
  var holder: Holder? {
    get { _storage.toOne(9) }
    set { _storage.setToOne(9, newValue, of: self) }
  }
  var shelf: Holder? {
    get { _storage.toOne(10) }
    set { _storage.setToOne(10, newValue, of: self) }
  }
  var label: Label? {
    get { _storage.toOne(11) }
    set { _storage.setToOne(11, newValue, of: self) }
  }

  struct Fields: FieldSet {
    typealias Model = Thing
    let title: Field<Thing, String>
    let count: Field<Thing, Int>
    let ratio: Field<Thing, Double>
    let flag: Field<Thing, Bool>
    let holder: ToOneField<Thing, Holder>
    let label: ToOneField<Thing, Label>

    init(_ path: FieldPath) {
      title = Field(path.appending("title"))
      count = Field(path.appending("count"))
      ratio = Field(path.appending("ratio"))
      flag = Field(path.appending("flag"))
      holder = ToOneField(path.appending("holder"))
      label = ToOneField(path.appending("label"))
    }
  }

  struct Snapshot: Hashable, Sendable {
    let id: Thing.ID
    let title: String
  }

  var snapshot: Snapshot { Snapshot(id: id, title: title) }
}

enum Grade: String, AttributeValue {
  case good
  case worn
}

/// A point in time, stored as Foundation's `Date` is.
struct Moment: AttributeValue, Hashable {
  let seconds: Double

  static var attributeKind: AttributeKind { .date }
  var propertyValue: PropertyValue { .date(seconds) }
  static func from(_ value: PropertyValue) -> Moment? {
    if case .date(let seconds) = value { Moment(seconds: seconds) } else { nil }
  }
}

final class Holder: PersistentModel {
  static let entity = Entity(
    Holder.self, name: "Holder",
    properties: [
      .attribute("name", String.self),
      .attribute("rank", Int.self, indexed: true),
      .toMany("things", Thing.self, deleteRule: .cascade),
      .toMany("shelved", Thing.self),
      .toOne("boss", Holder.self, inverse: "reports"),
      .toMany("reports", Holder.self),
    ])

  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }

  init(name: String, rank: Int) {
    _storage = ObjectStorage(Holder.entity)
    self.name = name
    self.rank = rank
  }

  var name: String {
    get { _storage.get(0) }
    set { _storage.set(0, newValue) }
  }
  var rank: Int {
    get { _storage.get(1) }
    set { _storage.set(1, newValue) }
  }
  var things: ToMany<Thing> { ToMany(2, of: self) }
  var shelved: ToMany<Thing> { ToMany(3, of: self) }
  var boss: Holder? {
    get { _storage.toOne(4) }
    set { _storage.setToOne(4, newValue, of: self) }
  }
  var reports: ToMany<Holder> { ToMany(5, of: self) }

  struct Fields: FieldSet {
    typealias Model = Holder
    let name: Field<Holder, String>
    let rank: Field<Holder, Int>
    let things: ToManyField<Holder, Thing>
    let boss: ToOneField<Holder, Holder>

    init(_ path: FieldPath) {
      name = Field(path.appending("name"))
      rank = Field(path.appending("rank"))
      things = ToManyField(path.appending("things"))
      boss = ToOneField(path.appending("boss"))
    }
  }

  struct Snapshot: Hashable, Sendable {
    let id: Holder.ID
    let name: String
  }

  var snapshot: Snapshot { Snapshot(id: id, name: name) }
}

final class Label: PersistentModel {
  static let entity = Entity(
    Label.self, name: "Label",
    properties: [
      .attribute("text", String.self),
      .toOne("thing", Thing.self),
    ])

  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }

  init(text: String) {
    _storage = ObjectStorage(Label.entity)
    self.text = text
  }

  var text: String {
    get { _storage.get(0) }
    set { _storage.set(0, newValue) }
  }
  var thing: Thing? {
    get { _storage.toOne(1) }
    set { _storage.setToOne(1, newValue, of: self) }
  }

  struct Fields: FieldSet {
    typealias Model = Label
    let text: Field<Label, String>

    init(_ path: FieldPath) { text = Field(path.appending("text")) }
  }

  struct Snapshot: Hashable, Sendable {
    let id: Label.ID
    let text: String
  }

  var snapshot: Snapshot { Snapshot(id: id, text: text) }
}
