import RepriseCore
import Workload

// Models with relationships and rules, and those of several versions of a program. By hand: the same in both workers.

struct NoFields<Model: PersistentModel>: FieldSet {
  init(_ path: FieldPath) {}
}

/// A model that no fetch asks for its properties.
protocol PlainModel: PersistentModel where Fields == NoFields<Self>, Snapshot == ID {}

extension PlainModel {
  var snapshot: ID { id }
  init() { self.init(_storage: ObjectStorage(Self.entity)) }
}

// MARK: Relationships

/// Members in an order.
final class Album: PlainModel {
  static let entity = Entity(
    Album.self, name: "Album", properties: [.toMany("tracks", Track.self, isOrdered: true)])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
  var tracks: OrderedToMany<Track> {
    get { OrderedToMany(0, of: self) }
    set { _storage.setToMany(0, newValue, of: self) }
  }
}

final class Track: PlainModel {
  static let entity = Entity(
    Track.self, name: "Track",
    properties: [
      .attribute("name", String.self), .toOne("album", Album.self, inverse: "tracks"),
      .toOne("genre", Genre.self, inverse: "tracks"), .toMany("tags", Tag.self, inverse: "tracks"),
    ])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
  convenience init(number: Int) {
    self.init()
    _storage.set(0, ItemFacts(number: number).name)
  }
  var genre: Genre? {
    get { _storage.toOne(2) }
    set { _storage.setToOne(2, newValue, of: self) }
  }
  var tags: ToMany<Tag> { ToMany(3, of: self) }
}

final class Genre: PlainModel {
  static let entity = Entity(Genre.self, name: "Genre", properties: [.toMany("tracks", Track.self)])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

final class Tag: PlainModel {
  static let entity = Entity(Tag.self, name: "Tag", properties: [.toMany("tracks", Track.self)])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

// MARK: Rules

protocol Account: PlainModel {}

extension Account {
  init(_ address: String) {
    self.init()
    _storage.set(0, address)
  }
}

final class UniqueAccount: Account {
  static let entity = Entity(
    UniqueAccount.self, name: "UniqueAccount",
    properties: [.attribute("address", String.self), .unique(["address"])])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

/// The same without the rule.
final class IndexedAccount: Account {
  static let entity = Entity(
    IndexedAccount.self, name: "IndexedAccount",
    properties: [.attribute("address", String.self), .index(["address"])])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

// MARK: Versions

/// A price as a text.
final class TextPrice: PlainModel {
  static let entity = Entity(
    TextPrice.self, name: "Price",
    properties: [.attribute("amount", String.self), .attribute("label", String.self, was: "title")])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
  convenience init(number: Int) {
    self.init()
    _storage.set(0, String(number))
    _storage.set(1, ItemFacts(number: number).name)
  }
}

/// The same as a number.
final class NumberPrice: PlainModel {
  static let entity = Entity(
    NumberPrice.self, name: "Price",
    properties: [.attribute("amount", Int.self), .attribute("label", String.self, was: "title")])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

/// A price whose label has another name.
final class TitledPrice: PlainModel {
  static let entity = Entity(
    TitledPrice.self, name: "Price",
    properties: [.attribute("amount", String.self), .attribute("title", String.self, was: "label")])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}
