import RepriseObjectModel
import RepriseQuery
import RepriseRemote
import RepriseTestModels

/// A model whose rows a server has.
final class Article: TestModel {
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

  @Stored(0) var remoteID: String?
  @Stored(1) var title: String
  @Stored(2) var body: String
  /// The server's, by which it sees that what it is told is about another state.
  @Stored(3) var version: Int

  struct Fields: FieldSet {
    typealias Model = Article
    let path: FieldPath
    init(_ path: FieldPath) { self.path = path }
    var remoteID: Field<Article, String> { Field(path.appending("remoteID")) }
    var title: Field<Article, String> { Field(path.appending("title")) }
    var body: Field<Article, String> { Field(path.appending("body")) }
  }

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
