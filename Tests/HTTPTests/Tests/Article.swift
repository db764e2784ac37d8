import RepriseCore
import RepriseRemote

/// A model by hand: this package does without the macro.
final class Article: PersistentModel {
  static let entity = Entity(
    Article.self, name: "Article",
    properties: [
      .attribute("remoteID", String?.self),
      .attribute("title", String.self),
      .attribute("body", String?.self),
      .attribute("version", Int.self),
      .unique(["remoteID"]),
    ])

  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }

  init(_ title: String, remoteID: String? = nil) {
    _storage = ObjectStorage(Article.entity)
    self.title = title
    self.remoteID = remoteID
  }

  var remoteID: String? {
    get { _storage.get(0) }
    set { _storage.set(0, newValue) }
  }
  var title: String {
    get { _storage.get(1) }
    set { _storage.set(1, newValue) }
  }
  var body: String? {
    get { _storage.get(2) }
    set { _storage.set(2, newValue) }
  }
  var version: Int {
    get { _storage.get(3) }
    set { _storage.set(3, newValue) }
  }

  struct Fields: FieldSet {
    typealias Model = Article
    let remoteID: Field<Article, String>
    let title: Field<Article, String>

    init(_ path: FieldPath) {
      remoteID = Field(path.appending("remoteID"))
      title = Field(path.appending("title"))
    }
  }

  var snapshot: NewsServer.Row { row }
  var row: NewsServer.Row { NewsServer.Row(id: remoteID, title: title, body: body, version: version) }

  static let mapping = RemoteMapping<Article, NewsServer.Row>(
    key: { $0.remoteID }, id: { $0.id },
    apply: { row, article, _ in
      article.title = row.title
      article.body = row.body
      article.version = row.version
    },
    record: { $0.row })
}
