import RepriseEventStore
import RepriseLists
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseRemote
import RepriseTestModels
import RepriseTesting
import XCTest

/// Rows that the server has no more, and whose objects a rule of the model does not let go.
@MainActor
final class RefusedDeletionTests: XCTestCase {
  private typealias Source = RemoteSource<Shelf, ArticleServer>

  private var server: ArticleServer!
  private var temporary: TemporaryStore!
  private var context: RootContext!
  private var source: Source!

  override func setUp() async throws {
    server = ArticleServer()
    temporary = try await TemporaryStore(for: Schema([Shelf.self, Book.self] + RemoteModels.all))
    try open(temporary.store)
  }

  override func tearDown() async throws { (source, context, temporary, server) = (nil, nil, nil, nil) }

  private func open(_ store: Store) throws {
    context = RootContext(store, author: "ada")
    source = try Source(
      "shelves", Fetch<Shelf>().sorted { $0.name }, in: context, from: server, mapping: Shelf.mapping)
  }

  /// Three shelves, and a book in the second one.
  private func fill() async throws -> Book {
    for name in ["a", "b", "c"] { server.insert(name) }
    try await source.refresh()
    let book = context.insert(Book())
    book.shelf = source.rows.dropFirst().first
    try await context.save()
    return book
  }

  private func names() -> [String] { source.rows.map(\.name) }

  func testADeletionThatARuleRefusesHoldsUpNoOther() async throws {
    for tellsChanges in [true, false] {
      try await tearDown()
      try await setUp()
      server.configure { ($0.tellsChanges, $0.hasValidator) = (tellsChanges, false) }
      let book = try await fill()
      for id in ["1", "2"] { server.delete(id) }
      server.insert("d")
      try await source.refresh()
      XCTAssertEqual(names(), ["b", "c", "d"])
      XCTAssertEqual(try source.refusedRows().map(\.id), ["2"])
      let head = temporary.store.log.head
      for _ in 0..<2 { try await source.refresh() }
      XCTAssertEqual(temporary.store.log.head, head, "a refresh without news writes nothing")
      context.delete(book)
      try await context.save()
      try await source.refreshAnew()
      XCTAssertEqual(names(), ["c", "d"])
      XCTAssertEqual(try source.refusedRows(), [])
    }
  }

  func testARowThatComesBackIsNoLongerRefused() async throws {
    server.configure { $0.hasValidator = false }
    _ = try await fill()
    let row = try XCTUnwrap(server.rows.dropFirst().first)
    server.delete("2")
    try await source.refresh()
    XCTAssertEqual(try source.refusedRows().count, 1)
    server.configure { $0.rows.append(row) }
    try await source.refresh()
    XCTAssertEqual(try source.refusedRows(), [])
    XCTAssertEqual(names(), ["a", "b", "c"])
  }
}

private final class Shelf: TestModel {
  static let entity = Entity(
    Shelf.self, name: "Shelf",
    properties: [
      .attribute("remoteID", String?.self),
      .attribute("name", String.self),
      .toMany("books", Book.self, inverse: "shelf", deleteRule: .deny),
      .unique(["remoteID"]),
    ])

  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }

  var remoteID: String? { _storage.get(0) }
  @Stored(1) var name: String

  struct Fields: FieldSet {
    typealias Model = Shelf
    let path: FieldPath
    init(_ path: FieldPath) { self.path = path }
    var remoteID: Field<Shelf, String> { Field(path.appending("remoteID")) }
    var name: Field<Shelf, String> { Field(path.appending("name")) }
  }

  static let mapping = RemoteMapping<Shelf, ArticleRecord>(
    key: { $0.remoteID }, id: { $0.id }, apply: { record, shelf, _ in shelf.name = record.title },
    record: { ArticleRecord(id: $0.remoteID, title: $0.name) })
}

/// Of this side alone.
private final class Book: TestModel {
  static let entity = Entity(Book.self, name: "Book", properties: [.toOne("shelf", Shelf.self)])

  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }

  @Linked(0) var shelf: Shelf?
}
