import RepriseObjectModel
import RepriseQuery
import RepriseRemote

/// A model whose rows a server has.
final class Article: PersistentModel {
  static let entity = Entity(
    Article.self, name: "Article",
    properties: [
      .attribute("remoteID", String?.self),
      .attribute("title", String.self),
      .attribute("body", String.self),
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
  var body: String {
    get { _storage.get(2) }
    set { _storage.set(2, newValue) }
  }
  /// The server's, by which it sees that what it is told is about another state.
  var version: Int {
    get { _storage.get(3) }
    set { _storage.set(3, newValue) }
  }

  struct Fields: FieldSet {
    typealias Model = Article
    let remoteID: Field<Article, String>
    let title: Field<Article, String>
    let body: Field<Article, String>

    init(_ path: FieldPath) {
      remoteID = Field(path.appending("remoteID"))
      title = Field(path.appending("title"))
      body = Field(path.appending("body"))
    }
  }

  var snapshot: ArticleRecord { record }
  var record: ArticleRecord { ArticleRecord(id: remoteID, title: title, body: body, version: version) }
}

/// A row of the server.
struct ArticleRecord: Codable, Hashable, Sendable {
  var id: String?
  var title: String
  var body = ""
  var version = 0

  static let mapping = RemoteMapping<Article, ArticleRecord>(
    key: { $0.remoteID }, id: { $0.id },
    apply: { record, article, _ in
      article.title = record.title
      article.body = record.body
      article.version = record.version
    },
    record: { $0.record })
}
