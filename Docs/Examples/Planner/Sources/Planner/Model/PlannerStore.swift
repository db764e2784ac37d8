import Reprise

/// The store of the planner, in a folder.
enum PlannerStore {
  static func open(_ folder: String) async throws -> Store {
    try await Store.open(folder, for: Todo.self, Step.self, Project.self, Tag.self, Person.self)
  }

  /// The name of a person as its first use wrote it. Adds the person if nobody has the name.
  static func name(of person: String, in store: Store) async throws -> String {
    try await store.write("Join", author: person) { context in
      try context.object(named: person, Person.self).name
    }.result
  }
}
