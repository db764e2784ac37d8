import Reprise

/// An object that people know by its name. Names that differ in case only are one name.
protocol Named: PersistentModel {
  var name: String { get }
  init(name: String)
  static func beginning(with name: String) -> Fetch<Self>
}

extension EditingContext {
  /// The object with a name, as its first user wrote it, or a new one.
  func object<Model: Named>(named name: String, _: Model.Type = Model.self) throws -> Model {
    try fetch(Model.beginning(with: name)).first { $0.name.lowercased() == name.lowercased() }
      ?? insert(Model(name: name))
  }

  /// Uses the saved tag or project if somebody else has saved one of the same name meanwhile.
  func shareNames() throws {
    for id in changes.inserted {
      if let tag = try Tag.ID(id).map({ try object($0) }), let saved = try other(than: tag) {
        for todo in Array(tag.todos) { todo.tags.insert(saved) }
        delete(tag)
      } else if let project = try Project.ID(id).map({ try object($0) }), let saved = try other(than: project) {
        for todo in Array(project.todos) { todo.project = saved }
        delete(project)
      }
    }
  }

  private func other<Model: Named>(than object: Model) throws -> Model? {
    try fetch(Model.beginning(with: object.name)).first {
      $0.id != object.id && $0.name.lowercased() == object.name.lowercased()
    }
  }
}

extension Project: Named {
  static func beginning(with name: String) -> Fetch<Project> { Fetch { $0.name.hasPrefix(name, .ignoringCase) } }
}

extension Tag: Named {
  static func beginning(with name: String) -> Fetch<Tag> { Fetch { $0.name.hasPrefix(name, .ignoringCase) } }
}

extension Person: Named {
  static func beginning(with name: String) -> Fetch<Person> { Fetch { $0.name.hasPrefix(name, .ignoringCase) } }
}
