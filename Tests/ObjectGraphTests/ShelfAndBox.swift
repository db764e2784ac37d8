import RepriseObjectModel
import RepriseQuery
import RepriseTestModels

// A tree of cascades with limits and other rules, written by hand.

final class Shelf: TestModel {
  static let entity = Entity(
    Shelf.self, name: "Shelf", properties: [.toMany("boxes", Box.self, inverse: "shelf", deleteRule: .cascade)])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
  var boxes: ToMany<Box> { ToMany(0, of: self) }
}

final class Box: TestModel {
  static let entity = Entity(
    Box.self, name: "Box",
    properties: [
      .toOne("shelf", Shelf.self),
      .toMany("parts", Part.self, inverse: "box", deleteRule: .cascade, minimum: 2),
      .toMany("labels", Label.self, inverse: "boxes"),
    ])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
  @Linked(0) var shelf: Shelf?
  var parts: ToMany<Part> { ToMany(1, of: self) }
  var labels: ToMany<Label> { ToMany(2, of: self) }
}

final class Label: TestModel {
  static let entity = Entity(Label.self, name: "Label", properties: [.toMany("boxes", Box.self)])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
  var boxes: ToMany<Box> { ToMany(0, of: self) }
}

final class Part: TestModel {
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
  @Linked(0) var box: Box?
  @Linked(1) var maker: Maker?
  @Linked(3) var next: Part?
}

final class Maker: TestModel {
  static let entity = Entity(Maker.self, name: "Maker", properties: [.toMany("parts", Part.self)])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

final class Loan: TestModel {
  static let entity = Entity(Loan.self, name: "Loan", properties: [.toOne("part", Part.self)])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
  @Linked(0) var part: Part?
}
