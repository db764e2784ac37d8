import RepriseObjectModel
import RepriseQuery
import RepriseRemote

/// A row of a server, made and edited by one client, and remarked on by everybody.
final class Note: PersistentModel {
  static let entity = Entity(
    Note.self, name: "Note",
    properties: [
      .attribute("remoteID", String?.self),
      .attribute("title", String.self),
      .attribute("body", Int.self),
      .attribute("remark", Int.self),
      .attribute("version", Int.self),
      .unique(["remoteID"]),
    ])

  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }

  init(_ title: String, body: Int) {
    _storage = ObjectStorage(Note.entity)
    self.title = title
    self.body = body
  }

  var remoteID: String? {
    get { _storage.get(0) }
    set { _storage.set(0, newValue) }
  }
  var title: String {
    get { _storage.get(1) }
    set { _storage.set(1, newValue) }
  }
  var body: Int {
    get { _storage.get(2) }
    set { _storage.set(2, newValue) }
  }
  var remark: Int {
    get { _storage.get(3) }
    set { _storage.set(3, newValue) }
  }
  var version: Int {
    get { _storage.get(4) }
    set { _storage.set(4, newValue) }
  }

  struct Fields: FieldSet {
    typealias Model = Note
    let remoteID: Field<Note, String>
    let title: Field<Note, String>

    init(_ path: FieldPath) {
      remoteID = Field(path.appending("remoteID"))
      title = Field(path.appending("title"))
    }
  }

  var snapshot: NoteRecord { record }
  var record: NoteRecord {
    NoteRecord(id: remoteID, title: title, body: body, remark: remark, version: version)
  }
}

struct NoteRecord: Codable, Hashable, Sendable {
  var id: String?
  var title: String
  var body: Int
  var remark = 0
  var version = 1

  static let mapping = RemoteMapping<Note, NoteRecord>(
    key: { $0.remoteID }, id: { $0.id },
    apply: { record, note, _ in
      note.title = record.title
      note.body = record.body
      note.remark = record.remark
      note.version = record.version
    },
    record: { $0.record })
}
