import RepriseObjectModel
import RepriseQuery
import RepriseTestModels

/// One link of a chain: a save adds one and deletes the oldest, so that inserted and deleted objects show a save that
/// is missing in the middle.
final class Entry: TestModel {
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

  @Stored(0) var stamp: Int
  @Stored(1) var previous: Int

  struct Fields: FieldSet {
    typealias Model = Entry
    let stamp: Field<Entry, Int>
    init(_ path: FieldPath) { stamp = Field(path.appending("stamp")) }
  }
}
