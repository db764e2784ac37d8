import RepriseObjectModel
import RepriseQuery
import RepriseRemote
import RepriseTestModels

/// A row of a server, made and edited by one client, and remarked on by everybody.
final class Note: TestModel {
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

  @Stored(0) var remoteID: String?
  @Stored(1) var title: String
  @Stored(2) var body: Int
  @Stored(3) var remark: Int
  @Stored(4) var version: Int

  struct Fields: FieldSet {
    typealias Model = Note
    let path: FieldPath
    init(_ path: FieldPath) { self.path = path }
    var remoteID: Field<Note, String> { Field(path.appending("remoteID")) }
    var title: Field<Note, String> { Field(path.appending("title")) }
  }

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
