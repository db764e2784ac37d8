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
    html.add("<form class='editor' id='")
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
    let edits = ((try? window.store.drafts.all()) ?? []).first { $0.id == editor.context.draftID }
    for property in edits?.preview.flatMap(\.properties) ?? [] {
      guard let text = property.new else { continue }
      html.add("<p>Your unsaved ")
      html.add(text: property.name)
      html.add(": ")
      html.add(text: Self.text(of: text))
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
      button("step-up", id, "↑", "Move up", &html)
      button("step-down", id, "↓", "Move down", &html)
      button("remove-step", id, "×", "Remove", &html)
      html.add("</li>")
    }
    html.add("</ol>")
    button("add-step", "", "Add step", nil, &html)
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
    button("history", "", editor.node.state.showsHistory ? "Hide history" : "History", nil, &html)
    if context.hasChanges {
      button("discard", "", "Discard", nil, &html)
    } else {
      button("close", "", "Close", nil, &html)
    }
    if todo.state == .live { button("delete", "", "Delete", nil, &html) }
    html.add("</div>")
  }

  // MARK: Other people

  private func conflicts(_ html: inout HTML) {
    // Conflicts are not tracked, and the editor's values stay. So the saved values are read too.
    if let saved = try? window.root.object(todo.id) {
      _ = (saved.title, saved.notes, saved.due, saved.isDone, saved.project, saved.assignee)
    }
    guard let conflicts = try? editor.context.conflicts(), !conflicts.isEmpty else { return }
    let blame = (try? window.root.blame(for: todo)) ?? [:]
    html.add("<section class='conflicts' role='alert'><h3>Somebody else changed the same fields</h3><ul>")
    for conflict in conflicts {
      let property = conflict.attribute ?? ""
      html.add("<li><b>")
      html.add(text: property)
      html.add("</b>: ")
      html.add(text: blame[property]?.author ?? "Somebody")
      html.add(" saved “")
      html.add(text: Self.text(of: conflict.theirs))
      html.add("”. You wrote “")
      html.add(text: Self.text(of: conflict.mine))
      html.add("”. ")
      button("mine", property, "Keep mine", nil, &html)
      button("theirs", property, "Take theirs", nil, &html)
      html.add("</li>")
    }
    html.add("</ul></section>")
  }

  private func history(_ html: inout HTML) {
    html.add("<section class='history'><h3>History</h3><ol>")
    for transaction in (try? window.root.history(of: todo, limit: 20)) ?? [] {
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
      if transaction.undoes == nil { button("revert", "\(transaction.position)", "Revert", nil, &html) }
      html.add("</li>")
    }
    html.add("</ol></section>")
  }

  private static func text(of value: PropertyValue) -> String {
    switch value {
    case .null: "nothing"
    case .string(let text): text
    case .bool(let isTrue): isTrue ? "yes" : "no"
    default: "\(value)"
    }
  }

  private static func text(of form: PropertyDifference.Form) -> String {
    switch form {
    case .value(let old, let new): "“\(text(of: old))” → “\(text(of: new))”"
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

  private func button(_ action: String, _ text: String, _ title: String, _ label: String?, _ html: inout HTML) {
    html.add("<button type='button' data-do='")
    html.add(text: action)
    html.add("' data-text='")
    html.add(text: text)
    if let label {
      html.add("' aria-label='")
      html.add(text: label)
    }
    html.add("'>")
    html.add(text: title)
    html.add("</button>")
  }
}
