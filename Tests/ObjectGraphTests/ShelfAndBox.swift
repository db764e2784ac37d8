import RepriseObjectModel
import RepriseQuery

// A tree of cascades with limits and other rules, written by hand.

final class Shelf: PersistentModel {
  static let entity = Entity(
    Shelf.self, name: "Shelf", properties: [.toMany("boxes", Box.self, inverse: "shelf", deleteRule: .cascade)])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
  init() { _storage = ObjectStorage(Self.entity) }
  var boxes: ToMany<Box> { ToMany(0, of: self) }

  struct Fields: FieldSet {
    typealias Model = Shelf
    init(_ path: FieldPath) {}
  }
  struct Snapshot: Sendable {}
  var snapshot: Snapshot { Snapshot() }
}

final class Box: PersistentModel {
  static let entity = Entity(
    Box.self, name: "Box",
    properties: [
      .toOne("shelf", Shelf.self),
      .toMany("parts", Part.self, inverse: "box", deleteRule: .cascade, minimum: 2),
      .toMany("labels", Label.self, inverse: "boxes"),
    ])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
  init() { _storage = ObjectStorage(Self.entity) }
  var shelf: Shelf? {
    get { _storage.toOne(0) }
    set { _storage.setToOne(0, newValue, of: self) }
  }
  var parts: ToMany<Part> { ToMany(1, of: self) }
  var labels: ToMany<Label> { ToMany(2, of: self) }

  struct Fields: FieldSet {
    typealias Model = Box
    init(_ path: FieldPath) {}
  }
  struct Snapshot: Sendable {}
  var snapshot: Snapshot { Snapshot() }
}

final class Label: PersistentModel {
  static let entity = Entity(Label.self, name: "Label", properties: [.toMany("boxes", Box.self)])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
  init() { _storage = ObjectStorage(Self.entity) }
  var boxes: ToMany<Box> { ToMany(0, of: self) }

  struct Fields: FieldSet {
    typealias Model = Label
    init(_ path: FieldPath) {}
  }
  struct Snapshot: Sendable {}
  var snapshot: Snapshot { Snapshot() }
}

final class Part: PersistentModel {
  static let entity = Entity(
    Part.self, name: "Part",
    properties: [
      .toOne("box", Box.self),
      .toOne("maker", Maker.self, inverse: "parts"),
      .toMany("loans", Loan.self, inverse: "part", deleteRule: .deny),
      .toOne("next", Part.self, inverse: "previous", deleteRule: .cascade),
      .toMany("previous", Part.self, deleteRule: .cascade),
    ])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
  init() { _storage = ObjectStorage(Self.entity) }
  var box: Box? {
    get { _storage.toOne(0) }
    set { _storage.setToOne(0, newValue, of: self) }
  }
  var maker: Maker? {
    get { _storage.toOne(1) }
    set { _storage.setToOne(1, newValue, of: self) }
  }
  var next: Part? {
    get { _storage.toOne(3) }
    set { _storage.setToOne(3, newValue, of: self) }
  }

  struct Fields: FieldSet {
    typealias Model = Part
    init(_ path: FieldPath) {}
  }
  struct Snapshot: Sendable {}
  var snapshot: Snapshot { Snapshot() }
}

final class Maker: PersistentModel {
  static let entity = Entity(Maker.self, name: "Maker", properties: [.toMany("parts", Part.self)])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
  init() { _storage = ObjectStorage(Self.entity) }

  struct Fields: FieldSet {
    typealias Model = Maker
    init(_ path: FieldPath) {}
  }
  struct Snapshot: Sendable {}
  var snapshot: Snapshot { Snapshot() }
}

final class Loan: PersistentModel {
  static let entity = Entity(Loan.self, name: "Loan", properties: [.toOne("part", Part.self)])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
  init() { _storage = ObjectStorage(Self.entity) }
  var part: Part? {
    get { _storage.toOne(0) }
    set { _storage.setToOne(0, newValue, of: self) }
  }

  struct Fields: FieldSet {
    typealias Model = Loan
    init(_ path: FieldPath) {}
  }
  struct Snapshot: Sendable {}
  var snapshot: Snapshot { Snapshot() }
}
