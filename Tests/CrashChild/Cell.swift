import RepriseObjectModel
import RepriseQuery

/// One of the four objects of a lane. Every save of the lane gives all of them the same new stamp, so that part of a
/// save, or of a journal frame, shows.
final class Cell: PersistentModel {
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
    ] + (0..<(extras + 1) / 2).map { .attribute("extra\($0)", Int.self, indexed: 2 * $0 + 1 < extras) })

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

  var lane: Int {
    get { _storage.get(0) }
    set { _storage.set(0, newValue) }
  }
  var place: Int {
    get { _storage.get(1) }
    set { _storage.set(1, newValue) }
  }
  var stamp: Int {
    get { _storage.get(2) }
    set { _storage.set(2, newValue) }
  }
  var text: String {
    get { _storage.get(3) }
    set { _storage.set(3, newValue) }
  }
  var name: String {
    get { _storage.get(4) }
    set { _storage.set(4, newValue) }
  }
  var partner: Cell? {
    get { _storage.toOne(5) }
    set { _storage.setToOne(5, newValue, of: self) }
  }
  var partners: ToMany<Cell> { ToMany(6, of: self) }
  /// Of a program that knows extras: the last of them.
  func setExtra(_ value: Int) { _storage.set(6 + (Cell.extras + 1) / 2, value) }

  struct Fields: FieldSet {
    typealias Model = Cell
    let lane: Field<Cell, Int>
    let stamp: Field<Cell, Int>
    let name: Field<Cell, String>

    init(_ path: FieldPath) {
      lane = Field(path.appending("lane"))
      stamp = Field(path.appending("stamp"))
      name = Field(path.appending("name"))
    }
  }

  struct Snapshot: Hashable, Sendable {
    let id: Cell.ID
    let stamp: Int
  }

  var snapshot: Snapshot { Snapshot(id: id, stamp: stamp) }
}
