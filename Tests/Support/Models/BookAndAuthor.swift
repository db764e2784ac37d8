import RepriseObjectModel
import RepriseQuery

// Models whose fetches sort through to-ones, with every kind of index that has part in it, written by hand.

package final class Book: TestModel {
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

  @Stored(0) package var title: String
  @Stored(1) package var year: Int
  @Linked(2) package var author: Author?
  @Linked(3) package var editor: Author?

  package struct Fields: FieldSet {
    package typealias Model = Book
    let path: FieldPath
    package init(_ path: FieldPath) { self.path = path }
    package var title: Field<Book, String> { Field(path.appending("title")) }
    package var year: Field<Book, Int> { Field(path.appending("year")) }
    package var author: ToOneField<Book, Author> { ToOneField(path.appending("author")) }
    package var editor: ToOneField<Book, Author> { ToOneField(path.appending("editor")) }
  }
}

package final class Author: TestModel {
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

  @Stored(0) package var name: String?
  @Stored(1) package var country: String
  package var books: ToMany<Book> { ToMany(2, of: self) }
  package var edited: ToMany<Book> { ToMany(3, of: self) }
  @Linked(4) package var mentor: Author?
  package var pupils: ToMany<Author> { ToMany(5, of: self) }

  package struct Fields: FieldSet {
    package typealias Model = Author
    let path: FieldPath
    package init(_ path: FieldPath) { self.path = path }
    package var name: Field<Author, String> { Field(path.appending("name")) }
    package var country: Field<Author, String> { Field(path.appending("country")) }
    package var books: ToManyField<Author, Book> { ToManyField(path.appending("books")) }
    package var edited: ToManyField<Author, Book> { ToManyField(path.appending("edited")) }
    package var mentor: ToOneField<Author, Author> { ToOneField(path.appending("mentor")) }
    package var pupils: ToManyField<Author, Author> { ToManyField(path.appending("pupils")) }
  }
}
