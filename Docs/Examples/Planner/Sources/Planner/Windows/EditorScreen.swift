import Reprise

/// An editor of a task. Its unsaved text is in the draft of its context, with the undo steps.
@MainActor final class EditorScreen {
  static let kind = NodeKind<EditorState, EditorScreen>("Editor")
  let node: RestorationNode<EditorState>
  let context: ChildContext
  let todo: Todo
  private let wasDeleted: Bool

  init(_ node: RestorationNode<EditorState>, _ context: ChildContext) throws {
    self.node = node
    self.context = context
    context.undoCoalescing = .byWord()
    do {
      // A task that is not saved yet is in the draft only.
      todo = try node.state.todo.map { try context.object($0) } ?? context.insert(Todo())
      wasDeleted = false
    } catch LookupError.deleted {
      // The editor says so, and shows the unsaved text.
      todo = Todo()
      wasDeleted = true
      return
    }
    if node.state.todo == nil { node.state.todo = todo.id }
  }

  /// Whether somebody else has deleted the task.
  var isGone: Bool { wasDeleted || todo.state == .deleted }

  var id: String { node.path.id }

  /// Sets a field of the task, as the page names it.
  func set(_ field: EditorField, to text: String) throws {
    switch field {
    case .title: todo.title = text
    case .notes: todo.notes = text
    case .due: todo.due = text
    case .done: todo.isDone = text == "true"
    case .project: todo.project = try object(text)
    case .assignee: todo.assignee = try object(text)
    case .tag(let id):
      let tag = try context.object(id)
      if text == "true" { todo.tags.insert(tag) } else { todo.tags.remove(tag) }
    case .step(let id): try context.object(id).text = text
    case .stepDone(let id): try context.object(id).isDone = text == "true"
    }
  }

  /// Keeps the user's value of a property, or takes the value that somebody else has saved.
  func resolve(_ property: String, withMine: Bool) throws {
    for conflict in try context.conflicts() where conflict.attribute ?? "" == property {
      try context.resolve(conflict, with: withMine ? conflict.mine : conflict.theirs)
    }
  }

  func addStep() -> Step {
    let step = context.insert(Step())
    todo.steps.append(step)
    return step
  }

  func moveStep(_ id: Step.ID, by distance: Int) throws {
    guard let place = todo.steps.firstIndex(of: try context.object(id)) else { return }
    let next = place + distance
    if todo.steps.indices.contains(next) { todo.steps.move(from: place, to: next) }
  }

  func removeStep(_ id: Step.ID) throws { context.delete(try context.object(id)) }

  func addTag(_ name: String) throws {
    let name = name.trimmed
    if name.isEmpty { return }
    todo.tags.insert(try context.upsert(by: \Tag.name) { [$0.name.set(to: name)] }.object)
  }

  private func object<Model: PersistentModel>(_ text: String) throws -> Model? {
    try ObjectID<Model>(text).map { try context.object($0) }
  }
}

/// A field of an editor, by the name that the page uses for it.
enum EditorField {
  case title, notes, due, done, project, assignee
  case tag(Tag.ID), step(Step.ID), stepDone(Step.ID)

  init?(_ name: String) {
    let parts = name.split(separator: ":", maxSplits: 1).map(String.init)
    switch (parts.first, parts.count) {
    case ("title", 1): self = .title
    case ("notes", 1): self = .notes
    case ("due", 1): self = .due
    case ("done", 1): self = .done
    case ("project", 1): self = .project
    case ("assignee", 1): self = .assignee
    case ("tag", 2): if let id = Tag.ID(parts[1]) { self = .tag(id) } else { return nil }
    case ("step", 2): if let id = Step.ID(parts[1]) { self = .step(id) } else { return nil }
    case ("stepDone", 2): if let id = Step.ID(parts[1]) { self = .stepDone(id) } else { return nil }
    default: return nil
    }
  }
}
