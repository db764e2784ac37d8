import RepriseObjectModel
import RepriseQuery

// Models with search indexes, written by hand.

package final class Note: PersistentModel {
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

  package var title: String {
    get { _storage.get(0) }
    set { _storage.set(0, newValue) }
  }
  package var body: String? {
    get { _storage.get(1) }
    set { _storage.set(1, newValue) }
  }
  package var rank: Int {
    get { _storage.get(2) }
    set { _storage.set(2, newValue) }
  }
  /// Without a search index.
  package var author: String {
    get { _storage.get(3) }
    set { _storage.set(3, newValue) }
  }
  package var notebook: Notebook? {
    get { _storage.toOne(4) }
    set { _storage.setToOne(4, newValue, of: self) }
  }

  package struct Fields: FieldSet {
    package typealias Model = Note
    package let title: Field<Note, String>
    package let body: Field<Note, String>
    package let rank: Field<Note, Int>
    package let author: Field<Note, String>
    package let notebook: ToOneField<Note, Notebook>

    package init(_ path: FieldPath) {
      title = Field(path.appending("title"))
      body = Field(path.appending("body"))
      rank = Field(path.appending("rank"))
      author = Field(path.appending("author"))
      notebook = ToOneField(path.appending("notebook"))
    }
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

package final class Notebook: PersistentModel {
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

  package var name: String {
    get { _storage.get(0) }
    set { _storage.set(0, newValue) }
  }
  package var notes: ToMany<Note> { ToMany(1, of: self) }

  package struct Fields: FieldSet {
    package typealias Model = Notebook
    package let name: Field<Notebook, String>
    package let notes: ToManyField<Notebook, Note>

    package init(_ path: FieldPath) {
      name = Field(path.appending("name"))
      notes = ToManyField(path.appending("notes"))
    }
  }

  package struct Snapshot: Hashable, Sendable {
    package let id: Notebook.ID
    package let name: String
  }

  package var snapshot: Snapshot { Snapshot(id: id, name: name) }
}
