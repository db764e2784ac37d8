import RepriseObjectModel
import RepriseQuery

// Models with search indexes, written by hand.

package final class Note: TestModel {
  package static let entity = Entity(
    Note.self, name: "Note",
    properties: [
      .attribute("title", String.self, indexed: true),
      .attribute("body", String?.self),
      .attribute("rank", Int.self, indexed: true),
      .attribute("author", String.self),
      .toOne("notebook", Notebook.self, inverse: "notes"),
      .searchIndex("title"),
      .searchIndex("body"),
    ])

  package let _storage: ObjectStorage
  package init(_storage: ObjectStorage) { self._storage = _storage }

  package init(title: String, body: String? = nil, rank: Int = 0) {
    _storage = ObjectStorage(Note.entity)
    self.title = title
    self.body = body
    self.rank = rank
  }

  @Stored(0) package var title: String
  @Stored(1) package var body: String?
  @Stored(2) package var rank: Int
  /// Without a search index.
  @Stored(3) package var author: String
  @Linked(4) package var notebook: Notebook?

  package struct Fields: FieldSet {
    package typealias Model = Note
    let path: FieldPath
    package init(_ path: FieldPath) { self.path = path }
    package var title: Field<Note, String> { Field(path.appending("title")) }
    package var body: Field<Note, String> { Field(path.appending("body")) }
    package var rank: Field<Note, Int> { Field(path.appending("rank")) }
    package var author: Field<Note, String> { Field(path.appending("author")) }
    package var notebook: ToOneField<Note, Notebook> { ToOneField(path.appending("notebook")) }
  }

  package struct Snapshot: Hashable, Sendable {
    package let id: Note.ID
    package let title: String
    package let body: String?
    package let rank: Int
    package let author: String
    package let notebook: Notebook.ID?
  }

  package var snapshot: Snapshot {
    Snapshot(
      id: id, title: title, body: body, rank: rank, author: author, notebook: _storage.toOneID(4, as: Notebook.self))
  }
}

package final class Notebook: TestModel {
  package static let entity = Entity(
    Notebook.self, name: "Notebook",
    properties: [
      .attribute("name", String.self),
      .toMany("notes", Note.self, deleteRule: .cascade),
      .searchIndex("name"),
    ])

  package let _storage: ObjectStorage
  package init(_storage: ObjectStorage) { self._storage = _storage }

  package init(name: String) {
    _storage = ObjectStorage(Notebook.entity)
    self.name = name
  }

  @Stored(0) package var name: String
  package var notes: ToMany<Note> { ToMany(1, of: self) }

  package struct Fields: FieldSet {
    package typealias Model = Notebook
    let path: FieldPath
    package init(_ path: FieldPath) { self.path = path }
    package var name: Field<Notebook, String> { Field(path.appending("name")) }
    package var notes: ToManyField<Notebook, Note> { ToManyField(path.appending("notes")) }
  }
}
