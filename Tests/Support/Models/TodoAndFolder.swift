import RepriseObjectModel
import RepriseQuery

// Models with every kind of index that is a property of its own, written by hand.

package final class Todo: PersistentModel {
  package static let entity = Entity(
    Todo.self, name: "Todo",
    properties: [
      .attribute("title", String.self),
      .attribute("isDone", Bool.self),
      .attribute("due", Double?.self),
      .attribute("rank", Int.self, indexed: true),
      .attribute("note", String?.self),
      .toOne("folder", Folder.self, inverse: "todos"),
      .index(["isDone", "due"]),
      .index(["folder", "title"]),
      .index(["folder", "isDone", "due"]),
      .index(["title", "note"]),
      .searchIndex("note"),
      .index([IndexColumn("title", .ignoringCase), IndexColumn("note", [.ignoringDiacritics, .natural])]),
    ])

  package let _storage: ObjectStorage
  package init(_storage: ObjectStorage) { self._storage = _storage }

  package init(_ title: String, due: Double? = nil, isDone: Bool = false) {
    _storage = ObjectStorage(Todo.entity)
    self.title = title
    self.due = due
    self.isDone = isDone
  }

  package var title: String {
    get { _storage.get(0) }
    set { _storage.set(0, newValue) }
  }
  package var isDone: Bool {
    get { _storage.get(1) }
    set { _storage.set(1, newValue) }
  }
  package var due: Double? {
    get { _storage.get(2) }
    set { _storage.set(2, newValue) }
  }
  package var rank: Int {
    get { _storage.get(3) }
    set { _storage.set(3, newValue) }
  }
  package var note: String? {
    get { _storage.get(4) }
    set { _storage.set(4, newValue) }
  }
  package var folder: Folder? {
    get { _storage.toOne(5) }
    set { _storage.setToOne(5, newValue, of: self) }
  }

  package struct Fields: FieldSet {
    package typealias Model = Todo
    package let title: Field<Todo, String>
    package let isDone: Field<Todo, Bool>
    package let due: Field<Todo, Double>
    package let rank: Field<Todo, Int>
    package let note: Field<Todo, String>
    package let folder: ToOneField<Todo, Folder>

    package init(_ path: FieldPath) {
      title = Field(path.appending("title"))
      isDone = Field(path.appending("isDone"))
      due = Field(path.appending("due"))
      rank = Field(path.appending("rank"))
      note = Field(path.appending("note"))
      folder = ToOneField(path.appending("folder"))
    }
  }

  package struct Snapshot: Sendable {}
  package var snapshot: Snapshot { Snapshot() }
}

package final class Folder: PersistentModel {
  package static let entity = Entity(
    Folder.self, name: "Folder",
    properties: [
      .attribute("name", String.self), .toMany("todos", Todo.self), .index([IndexColumn("name", .ignoringCase)]),
    ])

  package let _storage: ObjectStorage
  package init(_storage: ObjectStorage) { self._storage = _storage }

  package init(_ name: String) {
    _storage = ObjectStorage(Folder.entity)
    self.name = name
  }

  package var name: String {
    get { _storage.get(0) }
    set { _storage.set(0, newValue) }
  }
  package var todos: ToMany<Todo> { ToMany(1, of: self) }

  package struct Fields: FieldSet {
    package typealias Model = Folder
    package let name: Field<Folder, String>
    package let todos: ToManyField<Folder, Todo>

    package init(_ path: FieldPath) {
      name = Field(path.appending("name"))
      todos = ToManyField(path.appending("todos"))
    }
  }

  package struct Snapshot: Sendable {}
  package var snapshot: Snapshot { Snapshot() }
}
