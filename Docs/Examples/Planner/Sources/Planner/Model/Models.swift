import Reprise

/// Something to be done.
@Model final class Todo {
  #Index<Todo>([\.isDone, \.due, \.title])
  @Attribute(.text, .searchable) var title: String = ""
  @Attribute(.text) var notes: String = ""
  /// The day, as in `2026-11-29`, or empty. A day has no time zone, unlike a `Date`.
  var due: String = ""
  var isDone: Bool = false
  /// The line of the import that made it, so that an import that is repeated after a kill makes no second one.
  @Attribute(.unique) var importedFrom: String?
  @Relationship(inverse: \Project.todos) var project: Project?
  @Relationship(inverse: \Person.todos) var assignee: Person?
  @Relationship(inverse: \Tag.todos) var tags: ToMany<Tag>
  @Relationship(deleteRule: .cascade) var steps: OrderedToMany<Step>
  init(title: String = "") { self.title = title }
}

/// A line of a checklist. People put the lines in an order of their own.
@Model final class Step {
  @Attribute(.text) var text: String = ""
  var isDone: Bool = false
  @Relationship(inverse: \Todo.steps) var todo: Todo?
  init(text: String = "") { self.text = text }
}

@Model final class Project {
  @Attribute(.unique(.ignoringCase), .indexed) var name: String = ""
  var todos: ToMany<Todo>
  init(name: String) { self.name = name }
}

@Model final class Tag {
  @Attribute(.unique(.ignoringCase), .indexed) var name: String = ""
  var todos: ToMany<Todo>
  init(name: String) { self.name = name }
}

@Model final class Person {
  @Attribute(.unique(.ignoringCase), .indexed) var name: String = ""
  var todos: ToMany<Todo>
  init(name: String) { self.name = name }
}
