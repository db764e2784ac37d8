import RepriseObjectModel
import RepriseQuery

/// One link of a chain: a save adds one and deletes the oldest, so that inserted and deleted objects show a save that
/// is missing in the middle.
final class Entry: PersistentModel {
  static let entity = Entity(
    Entry.self, name: "Entry",
    properties: [
      .attribute("stamp", Int.self, indexed: true),
      .attribute("previous", Int.self),
    ])

  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }

  init(stamp: Int, previous: Int) {
    _storage = ObjectStorage(Entry.entity)
    self.stamp = stamp
    self.previous = previous
  }

  var stamp: Int {
    get { _storage.get(0) }
    set { _storage.set(0, newValue) }
  }
  var previous: Int {
    get { _storage.get(1) }
    set { _storage.set(1, newValue) }
  }

  struct Fields: FieldSet {
    typealias Model = Entry
    let stamp: Field<Entry, Int>

    init(_ path: FieldPath) {
      stamp = Field(path.appending("stamp"))
    }
  }

  struct Snapshot: Hashable, Sendable {
    let id: Entry.ID
    let stamp: Int
  }

  var snapshot: Snapshot { Snapshot(id: id, stamp: stamp) }
}
