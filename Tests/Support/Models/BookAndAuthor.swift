import RepriseObjectModel
import RepriseQuery

// Models whose fetches sort through to-ones, with every kind of index that has part in it, written by hand.

package final class Book: PersistentModel {
  package static let entity = Entity(
    Book.self, name: "Book",
    properties: [
      .attribute("title", String.self, indexed: true),
      .attribute("year", Int.self),
      .toOne("author", Author.self, inverse: "books"),
      .toOne("editor", Author.self, inverse: "edited"),
      .index(["author"]),
      .index(["author", "title"]),
    ])

  package let _storage: ObjectStorage
  package init(_storage: ObjectStorage) { self._storage = _storage }

  package init(_ title: String, year: Int = 0) {
    _storage = ObjectStorage(Book.entity)
    self.title = title
    self.year = year
  }

  package var title: String {
    get { _storage.get(0) }
    set { _storage.set(0, newValue) }
  }
  package var year: Int {
    get { _storage.get(1) }
    set { _storage.set(1, newValue) }
  }
  package var author: Author? {
    get { _storage.toOne(2) }
    set { _storage.setToOne(2, newValue, of: self) }
  }
  package var editor: Author? {
    get { _storage.toOne(3) }
    set { _storage.setToOne(3, newValue, of: self) }
  }

  package struct Fields: FieldSet {
    package typealias Model = Book
    package let title: Field<Book, String>
    package let year: Field<Book, Int>
    package let author: ToOneField<Book, Author>
    package let editor: ToOneField<Book, Author>

    package init(_ path: FieldPath) {
      title = Field(path.appending("title"))
      year = Field(path.appending("year"))
      author = ToOneField(path.appending("author"))
      editor = ToOneField(path.appending("editor"))
    }
  }

  package struct Snapshot: Sendable {}
  package var snapshot: Snapshot { Snapshot() }
}

package final class Author: PersistentModel {
  package static let entity = Entity(
    Author.self, name: "Author",
    properties: [
      .attribute("name", String?.self, indexed: true),
      .attribute("country", String.self),
      .toMany("books", Book.self, deleteRule: .noAction),
      .toMany("edited", Book.self),
      .toOne("mentor", Author.self, inverse: "pupils"),
      .toMany("pupils", Author.self),
      .index(["mentor"]),
      .index([IndexColumn("country", .ignoringCase)]),
    ])

  package let _storage: ObjectStorage
  package init(_storage: ObjectStorage) { self._storage = _storage }

  package init(_ name: String?, country: String = "") {
    _storage = ObjectStorage(Author.entity)
    self.name = name
    self.country = country
  }

  package var name: String? {
    get { _storage.get(0) }
    set { _storage.set(0, newValue) }
  }
  package var country: String {
    get { _storage.get(1) }
    set { _storage.set(1, newValue) }
  }
  package var books: ToMany<Book> { ToMany(2, of: self) }
  package var edited: ToMany<Book> { ToMany(3, of: self) }
  package var mentor: Author? {
    get { _storage.toOne(4) }
    set { _storage.setToOne(4, newValue, of: self) }
  }
  package var pupils: ToMany<Author> { ToMany(5, of: self) }

  package struct Fields: FieldSet {
    package typealias Model = Author
    package let name: Field<Author, String>
    package let country: Field<Author, String>
    package let books: ToManyField<Author, Book>
    package let edited: ToManyField<Author, Book>
    package let mentor: ToOneField<Author, Author>
    package let pupils: ToManyField<Author, Author>

    package init(_ path: FieldPath) {
      name = Field(path.appending("name"))
      country = Field(path.appending("country"))
      books = ToManyField(path.appending("books"))
      edited = ToManyField(path.appending("edited"))
      mentor = ToOneField(path.appending("mentor"))
      pupils = ToManyField(path.appending("pupils"))
    }
  }

  package struct Snapshot: Sendable {}
  package var snapshot: Snapshot { Snapshot() }
}
