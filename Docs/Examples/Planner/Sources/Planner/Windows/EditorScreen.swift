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

  /// The unsaved texts of a task that somebody else has deleted. Reads the drafts of the store.
  private(set) lazy var lostTexts: [DraftPreview.Property] = {
    let drafts = (try? context.store.drafts.all()) ?? []
    return drafts.first { $0.id == context.draftID }?.preview.flatMap(\.properties) ?? []
  }()

  /// Whether somebody else has deleted the task.
  var isGone: Bool { wasDeleted || todo.state == .deleted }

  var id: String { node.path.id }

  /// Undoes a step, but not the insertion of the task, because then the editor would have nothing to show.
  func undo() {
    context.undo()
    if todo.state == .deleted { context.redo() }
  }

  /// Sets a field of the task, as the page names it.
  ///
  /// - Parameter base: The text that the person saw. Somebody else may have saved another one meanwhile.
  func set(_ field: EditorField, to text: String, from base: String?) throws {
    func merged(_ present: String) -> String { TextMerge.text(text, from: base ?? present, into: present) }
    switch field {
    case .title: todo.title = merged(todo.title)
    case .notes: todo.notes = merged(todo.notes)
    case .due: todo.due = text
    case .done: todo.isDone = text == "true"
    case .project: todo.project = try object(text)
    case .assignee: todo.assignee = try object(text)
    case .tag(let id):
      let tag = try context.object(id)
      if text == "true" { todo.tags.insert(tag) } else { todo.tags.remove(tag) }
    case .step(let id):
      let step = try context.object(id)
      step.text = merged(step.text)
    case .stepDone(let id): try context.object(id).isDone = text == "true"
    }
  }

  /// The last transactions that changed the task.
  func history(in root: RootContext) -> [LoggedTransaction] { (try? root.history(of: todo, limit: 20)) ?? [] }

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
    todo.tags.insert(try context.object(named: name))
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
