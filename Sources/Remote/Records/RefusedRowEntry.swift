import RepriseObjectModel
import RepriseQuery

/// The record of a server's row that the store could not keep or delete.
final class RefusedRowEntry: PersistentModel {
  static let entity = Entity(
    RefusedRowEntry.self, name: "RepriseRefusedRow",
    properties: [
      .attribute("source", String.self, indexed: true),
      .attribute("remoteID", String?.self),
      .attribute("reason", String.self),
    ])

  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }

  init(_ source: String, _ remoteID: String?, _ reason: String) {
    _storage = ObjectStorage(RefusedRowEntry.entity)
    self.source = source
    self.remoteID = remoteID
    self.reason = reason
  }

  var source: String {
    get { _storage.get(0) }
    set { _storage.set(0, newValue) }
  }
  /// The row's identifier. `nil` for all rows without one.
  var remoteID: String? {
    get { _storage.get(1) }
    set { _storage.set(1, newValue) }
  }
  var reason: String {
    get { _storage.get(2) }
    set { _storage.set(2, newValue) }
  }

  struct Fields: FieldSet {
    typealias Model = RefusedRowEntry
    let source: Field<RefusedRowEntry, String>
    let remoteID: Field<RefusedRowEntry, String>

    init(_ path: FieldPath) {
      source = Field(path.appending("source"))
      remoteID = Field(path.appending("remoteID"))
    }
  }

  var snapshot: RefusedRow { RefusedRow(id: remoteID, reason: reason) }
}
