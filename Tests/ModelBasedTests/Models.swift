import RepriseCore
import RepriseTestModels

// Models with an attribute of each kind and a relationship of each shape, written by hand.

final class Thing: TestModel {
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
      .attribute("grade", ItemCondition.self, default: .good),
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

  @Stored(0) var title: String
  @Stored(1) var count: Int
  @Stored(2) var big: UInt64
  @Stored(3) var ratio: Double?
  @Stored(4) var flag: Bool
  @Stored(5) var data: [UInt8]?
  @Stored(6) var moment: Moment?
  @Stored(7) var token: UniqueID?
  @Stored(8) var grade: ItemCondition
  @Linked(9) var holder: Holder?
  @Linked(10) var shelf: Holder?
  @Linked(11) var label: Label?

  struct Fields: FieldSet {
    typealias Model = Thing
    let path: FieldPath
    init(_ path: FieldPath) { self.path = path }
    var title: Field<Thing, String> { Field(path.appending("title")) }
    var count: Field<Thing, Int> { Field(path.appending("count")) }
    var ratio: Field<Thing, Double> { Field(path.appending("ratio")) }
    var flag: Field<Thing, Bool> { Field(path.appending("flag")) }
    var holder: ToOneField<Thing, Holder> { ToOneField(path.appending("holder")) }
    var label: ToOneField<Thing, Label> { ToOneField(path.appending("label")) }
  }
}

final class Holder: TestModel {
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

  @Stored(0) var name: String
  @Stored(1) var rank: Int
  var things: ToMany<Thing> { ToMany(2, of: self) }
  var shelved: ToMany<Thing> { ToMany(3, of: self) }
  @Linked(4) var boss: Holder?
  var reports: ToMany<Holder> { ToMany(5, of: self) }

  struct Fields: FieldSet {
    typealias Model = Holder
    let path: FieldPath
    init(_ path: FieldPath) { self.path = path }
    var name: Field<Holder, String> { Field(path.appending("name")) }
    var rank: Field<Holder, Int> { Field(path.appending("rank")) }
    var things: ToManyField<Holder, Thing> { ToManyField(path.appending("things")) }
    var boss: ToOneField<Holder, Holder> { ToOneField(path.appending("boss")) }
  }
}

final class Label: TestModel {
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

  @Stored(0) var text: String
  @Linked(1) var thing: Thing?

  struct Fields: FieldSet {
    typealias Model = Label
    let text: Field<Label, String>

    init(_ path: FieldPath) { text = Field(path.appending("text")) }
  }
}
