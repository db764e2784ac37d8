import Reprise

extension Window {
  /// Applies inputs in the order of their numbers, each once.
  ///
  /// The number of an input is written in one frame with its effects. So after a kill, the window has both or neither,
  /// and the page sends the input again. An input that saves is also in the state until its save has ended, so a restored
  /// window finishes the save.
  func apply(_ batch: InputBatch) async -> InputAnswer {
    await turn.wait()
    defer { turn.leave() }
    for input in batch.inputs {
      let last = screen.lastInput(of: batch.page)
      if input.number <= last || isOver { continue }
      if input.number > last + 1, batch.hasGap != true { break }
      if input.isDeliberate { notice = "" }
      // Its page has the text of its fields already.
      author = input.action == "edit" ? batch.page : nil
      defer { author = nil }
      do {
        defer { screen.hasApplied(input.number, of: batch.page, shown: shownPages) }
        if let save = try apply(input) {
          try await commit(UnfinishedSave(name: save, page: batch.page, input: input.number))
        }
      } catch {
        notice = Failure.text(of: error)
      }
    }
    // Their pages learn the number of the last input.
    changed()
    return InputAnswer(applied: screen.lastInput(of: batch.page))
  }

  /// Applies an input within a turn.
  ///
  /// - Returns: The name of the save that must follow, if the input saves.
  private func apply(_ input: Input) throws -> String? {
    let text = input.text ?? ""
    switch input.action {
    case "focus":
      screen.node.state.focus = input.field.map { Focus(field: $0, start: input.start ?? 0, end: input.end ?? 0) }
    case "edit": try edit(input, text)
    case "scroll":
      list.scroll(to: input.row ?? 0, offset: input.start ?? 0)
      changed(.rows)
    case "project":
      try list.show { $0.project = Project.ID(text) }
      changed(.rows, .side)
    case "shows-done":
      try list.show { $0.showsDone = text == "true" }
      changed(.rows, .side)
    case "open": try open(text)
    case "new": try openNew()
    case "new-project": return try addProject()
    case "import":
      _ = try dialog ?? restoration.open(ImportDialog.kind, id: "import", state: ImportState())
      changed(.dialog)
    case "start-import": startImport()
    case "close-import": closeImport()
    case "dismiss": break
    case "try-again": return root.hasChanges ? "Save again" : nil
    case "give-up": root.discard()
    case "mine", "theirs":
      let context = try input.editor.flatMap { try editor($0)?.context } ?? root
      try ConflictRenderer.resolve(text, withMine: input.action == "mine", in: context)
      changed(.editors, .notice)
    default:
      guard let id = input.editor, let editor = try editor(id) else { return nil }
      return try apply(input, text, to: editor)
    }
    return nil
  }

  private func edit(_ input: Input, _ text: String) throws {
    if let id = input.editor {
      guard let editor = try editor(id) else { return }
      screen.node.state.focus = Focus(
        field: "\(id)/\(input.field ?? "")", start: input.start ?? 0, end: input.end ?? 0)
      switch input.field {
      case "new-tag": editor.node.state.newTag = text
      case let name?: if let field = EditorField(name) { try editor.set(field, to: text, from: input.base) }
      case nil: break
      }
      return changed(.editors)
    }
    screen.node.state.focus = input.field.map { Focus(field: $0, start: input.start ?? 0, end: input.end ?? 0) }
    switch input.field {
    case "words":
      try list.show { $0.words = text }
      changed(.rows, .side)
    case "new-project":
      list.node.state.newProject = text
      changed(.side)
    case "csv":
      dialog?.set(text)
      changed(.dialog)
    default: break
    }
  }

  private func apply(_ input: Input, _ text: String, to editor: EditorScreen) throws -> String? {
    defer { changed(.editors) }
    switch input.action {
    case "undo": editor.undo()
    case "redo": editor.context.redo()
    case "add-step":
      let step = editor.addStep()
      screen.node.state.focus = Focus(field: "\(editor.id)/step:\(step.id)", start: 0, end: 0)
    case "remove-step": if let id = Step.ID(text) { try editor.removeStep(id) }
    case "step-up": if let id = Step.ID(text) { try editor.moveStep(id, by: -1) }
    case "step-down": if let id = Step.ID(text) { try editor.moveStep(id, by: 1) }
    case "add-tag":
      try editor.addTag(editor.node.state.newTag)
      editor.node.state.newTag = ""
    case "history": editor.node.state.showsHistory.toggle()
    case "close": editor.node.close()
    case "discard":
      editor.context.discard()
      editor.node.close()
    case "save":
      if editor.todo.title.trimmed.isEmpty { throw Failure("A task needs a title.") }
      if !editor.todo.due.isEmpty, !Day.isDay(editor.todo.due) { throw Failure("The date is not a day.") }
      let isNew = editor.todo.state == .inserted
      try editor.context.shareNames()
      try editor.context.save()
      return isNew ? "Add task" : "Edit task"
    case "delete":
      editor.context.discard()
      if let id = editor.node.state.todo, let todo = try? root.object(id) { root.delete(todo) }
      editor.node.close()
      return "Delete task"
    case "revert":
      // Only what the editor shows.
      guard let transaction = editor.history(in: root).first(where: { "\($0.position)" == text }) else { return nil }
      try root.revert(transactionAt: transaction.position)
      return "Revert"
    default: break
    }
    return nil
  }

  /// Saves into the log. The draft of the root context is in the journal before, so a kill in between loses nothing.
  private func commit(_ save: UnfinishedSave) async throws {
    defer {
      screen.node.state.saving = nil
      changed(.notice)
    }
    screen.node.state.saving = save
    try await store.flush()
    try root.shareNames()
    try await root.save(save.name)
  }

  /// Finishes the save that a kill has interrupted. Its page may send the input again.
  func finishSave() async {
    guard let save = screen.node.state.saving else { return }
    do {
      if root.hasChanges { try await commit(save) }
    } catch {
      notice = Failure.text(of: error)
    }
    screen.node.state.saving = nil
    screen.hasApplied(save.input, of: save.page, shown: shownPages)
  }

  /// Opens an editor with the edits of a window that has expired.
  func resume(_ draft: DraftInfo) throws {
    guard let todo = draft.objects.first(where: { $0.entity == Todo.entity.name }).flatMap({ Todo.ID($0) }) else {
      throw Failure("These edits concern no task.")
    }
    _ = try restoration.open(
      EditorScreen.kind, id: "editor-\(todo.uuid)", state: EditorState(todo: todo), draft: draft.id)
    changed(.editors)
  }

  private func open(_ text: String) throws {
    guard let todo = Todo.ID(text) else { return }
    let id = "editor-\(todo.uuid)"
    if try editor(id) == nil {
      _ = try restoration.open(EditorScreen.kind, id: id, state: EditorState(todo: todo), resumingDraft: true)
    }
    screen.node.state.focus = Focus(field: "\(id)/title", start: 0, end: 0)
    changed(.editors)
  }

  /// Opens an editor with a task that is not saved yet.
  private func openNew() throws {
    let id = "editor-\(UniqueID())"
    _ = try restoration.open(EditorScreen.kind, id: id, state: EditorState())
    screen.node.state.focus = Focus(field: "\(id)/title", start: 0, end: 0)
    changed(.editors)
  }

  private func addProject() throws -> String? {
    let name = list.node.state.newProject.trimmed
    if name.isEmpty { return nil }
    let project: Project = try root.object(named: name)
    list.node.state.newProject = ""
    try list.show { $0.project = project.id }
    changed(.side, .rows)
    return "Add project"
  }

  private func startImport() {
    dialog?.start(store, author: name.user, isNew: true) { [weak self] in self?.changed(.dialog) }
    changed(.dialog)
  }

  private func closeImport() {
    dialog?.stop()
    dialog?.node.close()
    changed(.dialog)
  }
}
