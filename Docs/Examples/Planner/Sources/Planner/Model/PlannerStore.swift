import Reprise

/// The store of the planner, in a folder.
enum PlannerStore {
  static func open(_ folder: String) async throws -> Store {
    try await Store.open(folder, for: Todo.self, Step.self, Project.self, Tag.self, Person.self)
  }

  /// Adds a person, unless somebody has the name.
  static func add(_ name: String, to store: Store) async throws {
    try await store.write("Join", author: name) { context in
      try context.upsert(by: \Person.name) { [$0.name.set(to: name)] }
      return
    }
  }
}
