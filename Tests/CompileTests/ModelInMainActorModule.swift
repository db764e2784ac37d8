// flags: -default-isolation MainActor
// New application projects isolate everything to the main actor; a model written by hand compiles there as it stands.
import RepriseObjectModel

final class Item: PersistentModel {
  static let entity = Entity(Item.self, name: "Item", properties: [.attribute("name", String.self)])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }

  var name: String {
    get { _storage.get(0) }
    set { _storage.set(0, newValue) }
  }

  var snapshot: String { name }

  struct Fields: FieldSet {
    typealias Model = Item
    init(_ path: FieldPath) {}
  }
}

func rename(_ item: Item) { item.name += "!" }
