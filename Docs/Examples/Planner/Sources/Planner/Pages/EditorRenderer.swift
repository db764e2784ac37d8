import Foundation
import Reprise

/// Renders an editor.
@MainActor struct EditorRenderer {
  private let window: Window
  private let editor: EditorScreen
  private var todo: Todo { editor.todo }

  init(_ window: Window, _ editor: EditorScreen) {
    self.window = window
    self.editor = editor
  }

  func render(_ html: inout HTML) {
    html.add("<form class='editor' autocomplete='off' id='")
    html.add(text: editor.id)
    html.add("' data-editor='")
    html.add(text: editor.id)
    html.add("' aria-label='Task'>")
    if editor.isGone {
      gone(&html)
    } else {
      conflicts(&html)
      fields(&html)
      steps(&html)
      buttons(&html)
      if editor.node.state.showsHistory { history(&html) }
    }
    html.add("</form>")
  }

  /// The task is deleted by somebody else. The texts are still in the draft.
  private func gone(_ html: inout HTML) {
    html.add("<p role='alert'>Somebody else has deleted this task.</p>")
    for property in editor.lostTexts {
      guard let text = property.new else { continue }
      html.add("<p>Your unsaved ")
      html.add(text: property.name)
      html.add(": ")
      html.add(text: text.text)
      html.add("</p>")
    }
    html.add("<button type='button' data-do='discard'>Close</button>")
  }

  private func fields(_ html: inout HTML) {
    text("Title", "title", todo.title, &html)
    html.add("<label>Notes<textarea data-field='notes' rows='6'>\n")
    html.add(field: todo.notes)
    html.add("</textarea></label>")
    html.add("<label>Due<input type='date' data-field='due' value='")
    html.add(field: todo.due)
    html.add("'></label>")
    choice("Project", "project", todo.project?.id.any, fetched(Fetch<Project>().sorted { $0.name }), \.name, &html)
    choice("Assigned to", "assignee", todo.assignee?.id.any, fetched(Fetch<Person>().sorted { $0.name }), \.name, &html)
    check("Done", "done", todo.isDone, &html)
    html.add("<fieldset><legend>Tags</legend>")
    for tag in fetched(Fetch<Tag>().sorted { $0.name }) {
      check(tag.name, "tag:\(tag.id)", todo.tags.contains(tag), &html)
    }
    html.add("<input data-field='new-tag' data-enter='add-tag' aria-label='New tag' placeholder='New tag' value='")
    html.add(field: editor.node.state.newTag)
    html.add("'></fieldset>")
  }

  private func steps(_ html: inout HTML) {
    html.add("<fieldset><legend>Steps</legend><ol class='steps'>")
    for step in todo.steps {
      let id = "\(step.id)"
      html.add("<li id='step-")
      html.add(text: "\(editor.id)-\(step.id.uuid)")
      html.add("'>")
      check("", "stepDone:\(id)", step.isDone, &html)
      html.add("<input data-enter='add-step' aria-label='Step' data-field='step:")
      html.add(text: id)
      html.add("' value='")
      html.add(field: step.text)
      html.add("'>")
      html.add(button: "step-up", text: id, "↑", label: "Move up")
      html.add(button: "step-down", text: id, "↓", label: "Move down")
      html.add(button: "remove-step", text: id, "×", label: "Remove")
      html.add("</li>")
    }
    html.add("</ol>")
    html.add(button: "add-step", "Add step")
    html.add("</fieldset>")
  }

  private func buttons(_ html: inout HTML) {
    let context = editor.context
    html.add("<div class='buttons'>")
    // No button is disabled, because the page learns later than the server whether there is something to do.
    html.add(
      context.hasChanges ? "<button type='button' class='primary'" : "<button type='button' aria-disabled='true'")
    html.add(" data-do='save'>Save</button>")
    html.add(context.canUndo ? "<button type='button'" : "<button type='button' aria-disabled='true'")
    html.add(" data-do='undo'>Undo</button>")
    html.add(context.canRedo ? "<button type='button'" : "<button type='button' aria-disabled='true'")
    html.add(" data-do='redo'>Redo</button>")
    html.add(button: "history", editor.node.state.showsHistory ? "Hide history" : "History")
    if context.hasChanges {
      html.add(button: "discard", "Discard")
    } else {
      html.add(button: "close", "Close")
    }
    if todo.state == .live { html.add(button: "delete", "Delete") }
    html.add("</div>")
  }

  // MARK: Other people

  private func conflicts(_ html: inout HTML) {
    // Conflicts are not tracked, and the editor's values stay. So the saved values are read too.
    if let saved = try? window.root.object(todo.id) {
      _ = (saved.title, saved.notes, saved.due, saved.isDone, saved.project, saved.assignee)
    }
    ConflictRenderer(window: window, context: editor.context).render(&html)
  }

  private func history(_ html: inout HTML) {
    html.add("<section class='history'><h3>History</h3><ol>")
    for transaction in editor.history(in: window.root) {
      html.add("<li><time>")
      html.add(text: transaction.date.formatted(.iso8601))
      html.add("</time> ")
      html.add(text: transaction.author ?? "Somebody")
      html.add(": ")
      html.add(text: transaction.name ?? "Change")
      html.add("<ul>")
      for change in transaction.changes where change.object == todo.id.any {
        for property in change.properties {
          html.add("<li>")
          html.add(text: property.property)
          html.add(" ")
          html.add(text: Self.text(of: property.form))
          html.add("</li>")
        }
      }
      html.add("</ul>")
      if transaction.undoes == nil { revert(transaction, &html) }
      html.add("</li>")
    }
    html.add("</ol></section>")
  }

  /// A transaction may have changed other tasks too, such as an import.
  private func revert(_ transaction: LoggedTransaction, _ html: inout HTML) {
    let count = transaction.changes.count { $0.object.entity == Todo.entity.name }
    let position = "\(transaction.position)"
    if count <= 1 { return html.add(button: "revert", text: position, "Revert") }
    html.add(
      button: "revert", text: position, "Revert all \(count) tasks",
      confirm: "This change concerns \(count) tasks. Revert it in all of them?")
  }

  private static func text(of form: PropertyDifference.Form) -> String {
    switch form {
    case .value(let old, let new): "“\(old.text)” → “\(new.text)”"
    case .text(_, let removed, let inserted): "“\(removed)” → “\(inserted)”"
    case .members(let added, let removed): "+\(added.count) −\(removed.count)"
    default: "changed"
    }
  }

  // MARK: Elements

  private func fetched<Model: PersistentModel>(_ fetch: Fetch<Model>) -> [Model] {
    (try? editor.context.fetch(fetch)) ?? []
  }

  private func text(_ label: StaticString, _ field: StaticString, _ value: String, _ html: inout HTML) {
    html.add("<label>")
    html.add(label)
    html.add("<input autocomplete='off' data-field='")
    html.add(field)
    html.add("' value='")
    html.add(field: value)
    html.add("'></label>")
  }

  private func check(_ label: String, _ field: String, _ isOn: Bool, _ html: inout HTML) {
    html.add("<label class='check'><input type='checkbox' data-field='")
    html.add(text: field)
    html.add(isOn ? "' checked>" : "'>")
    html.add(text: label)
    html.add("</label>")
  }

  private func choice<Model: PersistentModel>(
    _ label: StaticString, _ field: StaticString, _ chosen: AnyObjectID?, _ objects: [Model], _ name: (Model) -> String,
    _ html: inout HTML
  ) {
    html.add("<label>")
    html.add(label)
    html.add("<select data-field='")
    html.add(field)
    html.add("'><option value=''>–</option>")
    for object in objects {
      html.add("<option value='")
      html.add(text: "\(object.id)")
      html.add(object.id.any == chosen ? "' selected>" : "'>")
      html.add(text: name(object))
      html.add("</option>")
    }
    html.add("</select></label>")
  }
}
