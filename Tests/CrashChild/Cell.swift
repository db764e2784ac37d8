import RepriseObjectModel
import RepriseQuery
import RepriseTestModels

/// One of the four objects of a lane. Every save of the lane gives all of them the same new stamp, so that part of a
/// save, or of a journal frame, shows.
final class Cell: TestModel {
  static let entity = Entity(
    Cell.self, name: "Cell",
    properties: [
      .attribute("lane", Int.self, indexed: true),
      .attribute("place", Int.self, indexed: extras >= 3),
      .attribute("stamp", Int.self, indexed: true),
      .attribute("text", String.self, indexed: extras >= 5),
      .attribute("name", String.self, default: "", indexed: true),
      .toOne("partner", Cell.self, inverse: "partners"),
      .toMany("partners", Cell.self),
    ] + (0..<(extras + 1) / 2).map { .attribute("extra\($0)", Int.self, indexed: 2 * $0 + 1 < extras) }
      + [.index(["lane", "stamp"], keepsHistory: true)])

  /// How many properties and indexes this program knows that its first version does not. A property comes without its
  /// index, which the next version has.
  static let extras = Arguments(CommandLine.arguments).number("extras")

  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }

  init(lane: Int, place: Int) {
    _storage = ObjectStorage(Cell.entity)
    self.lane = lane
    self.place = place
  }

  @Stored(0) var lane: Int
  @Stored(1) var place: Int
  @Stored(2) var stamp: Int
  @Stored(3) var text: String
  @Stored(4) var name: String
  @Linked(5) var partner: Cell?
  var partners: ToMany<Cell> { ToMany(6, of: self) }
  /// Of a program that knows extras: the last of them.
  func setExtra(_ value: Int) { _storage.set(6 + (Cell.extras + 1) / 2, value) }

  struct Fields: FieldSet {
    typealias Model = Cell
    let path: FieldPath
    init(_ path: FieldPath) { self.path = path }
    var lane: Field<Cell, Int> { Field(path.appending("lane")) }
    var stamp: Field<Cell, Int> { Field(path.appending("stamp")) }
    var name: Field<Cell, String> { Field(path.appending("name")) }
  }
}
