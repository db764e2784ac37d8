import RepriseObjectModel
import RepriseQuery

// Models with every kind of index that is a property of its own, written by hand.

package final class Todo: TestModel {
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

  @Stored(0) package var title: String
  @Stored(1) package var isDone: Bool
  @Stored(2) package var due: Double?
  @Stored(3) package var rank: Int
  @Stored(4) package var note: String?
  @Linked(5) package var folder: Folder?

  package struct Fields: FieldSet {
    package typealias Model = Todo
    let path: FieldPath
    package init(_ path: FieldPath) { self.path = path }
    package var title: Field<Todo, String> { Field(path.appending("title")) }
    package var isDone: Field<Todo, Bool> { Field(path.appending("isDone")) }
    package var due: Field<Todo, Double> { Field(path.appending("due")) }
    package var rank: Field<Todo, Int> { Field(path.appending("rank")) }
    package var note: Field<Todo, String> { Field(path.appending("note")) }
    package var folder: ToOneField<Todo, Folder> { ToOneField(path.appending("folder")) }
  }
}

package final class Folder: TestModel {
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

  @Stored(0) package var name: String
  package var todos: ToMany<Todo> { ToMany(1, of: self) }

  package struct Fields: FieldSet {
    package typealias Model = Folder
    let path: FieldPath
    package init(_ path: FieldPath) { self.path = path }
    package var name: Field<Folder, String> { Field(path.appending("name")) }
    package var todos: ToManyField<Folder, Todo> { ToManyField(path.appending("todos")) }
  }
}
