import RepriseCore
import RepriseDirectories
import RepriseRemote
import RepriseTestModels

/// A document.
final class Paper: TestModel {
  static let entity = Entity(
    Paper.self, name: "Paper",
    properties: [
      .attribute("path", String.self),
      .attribute("text", String.self),
      .attribute("version", String.self),
      .unique(["path"]),
    ])

  static var mapping: RemoteMapping<Paper, DirectoryDocument> {
    RemoteMapping(
      key: { $0.path }, id: { $0.path },
      apply: { file, paper, _ in (paper.text, paper.version) = (file.text ?? "", file.version) },
      record: { DirectoryDocument($0.path, text: $0.text, version: $0.version) })
  }

  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }

  init(_ path: String, _ text: String) {
    _storage = ObjectStorage(Paper.entity)
    (self.path, self.text) = (path, text)
  }

  @Stored(0) var path: String
  @Stored(1) var text: String
  @Stored(2) var version: String

  struct Fields: FieldSet {
    typealias Model = Paper
    let path: Field<Paper, String>
    let text: Field<Paper, String>

    init(_ path: FieldPath) {
      self.path = Field(path.appending("path"))
      text = Field(path.appending("text"))
    }
  }
}
