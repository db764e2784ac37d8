import Reprise

enum Cover: String, AttributeValue {
  case paper, cloth, leather
}

final class Book: PersistentModel {
  static let entity = Entity(
    Book.self, name: "Book",
    properties: [
      .attribute("title", String.self, indexed: true),
      .attribute("pages", Int.self, default: 1),
      .attribute("subtitle", String?.self),
      .attribute("cover", Cover.self, default: .paper),
      .toOne("author", Author.self, inverse: "books"),
    ])

  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }

  init(title: String, author: Author? = nil) {
    _storage = ObjectStorage(Book.entity)
    self.title = title
    self.author = author
  }

  var title: String {
    get { _storage.get(0) }
    set { _storage.set(0, newValue) }
  }
  var pages: Int {
    get { _storage.get(1) }
    set { _storage.set(1, newValue) }
  }
  var subtitle: String? {
    get { _storage.get(2) }
    set { _storage.set(2, newValue) }
  }
  var cover: Cover {
    get { _storage.get(3) }
    set { _storage.set(3, newValue) }
  }
  var author: Author? {
    get { _storage.toOne(4) }
    set { _storage.setToOne(4, newValue, of: self) }
  }

  struct Fields: FieldSet {
    typealias Model = Book
    let title: Field<Book, String>
    let pages: Field<Book, Int>
    let subtitle: Field<Book, String>
    let cover: Field<Book, Cover>
    let author: ToOneField<Book, Author>

    init(_ path: FieldPath) {
      title = Field(path.appending("title"))
      pages = Field(path.appending("pages"))
      subtitle = Field(path.appending("subtitle"))
      cover = Field(path.appending("cover"))
      author = ToOneField(path.appending("author"))
    }
  }

  static var _keyPaths: [AnyKeyPath: String] {
    [
      \Book.id: "", \Book.title: "title", \Book.pages: "pages", \Book.subtitle: "subtitle", \Book.cover: "cover",
      \Book.author: "author",
    ]
  }

  struct Snapshot: Identifiable, Sendable {
    let id: Book.ID
    let title: String
    let author: Author.ID?
  }

  var snapshot: Snapshot { Snapshot(id: id, title: title, author: _storage.toOneID(4)) }
}

final class Author: PersistentModel {
  static let entity = Entity(
    Author.self, name: "Author",
    properties: [
      .attribute("name", String.self),
      .toMany("books", Book.self, deleteRule: .cascade),
    ])

  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }

  init(name: String) {
    _storage = ObjectStorage(Author.entity)
    self.name = name
  }

  var name: String {
    get { _storage.get(0) }
    set { _storage.set(0, newValue) }
  }
  var books: ToMany<Book> {
    get { ToMany(1, of: self) }
    set { _storage.setToMany(1, newValue, of: self) }
  }

  struct Fields: FieldSet {
    typealias Model = Author
    let name: Field<Author, String>
    let books: ToManyField<Author, Book>

    init(_ path: FieldPath) {
      name = Field(path.appending("name"))
      books = ToManyField(path.appending("books"))
    }
  }

  var snapshot: String { name }
}
