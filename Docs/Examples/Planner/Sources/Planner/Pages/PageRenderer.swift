import Foundation
import Reprise

/// Renders the regions of a window. What it reads is tracked, so a region is rendered again when it has changed.
@MainActor struct PageRenderer {
  private let window: Window
  private var root: RootContext { window.root }

  init(_ window: Window) { self.window = window }

  func html(of region: Window.Region) -> HTML {
    switch region {
    case .side: side
    case .rows: rows
    case .editors: editors
    case .dialog: dialog
    case .notice: notice
    }
  }

  // MARK: Side

  private var side: HTML {
    let state = window.list.node.state
    var html = HTML()
    html.add("<label>Search <input type='search' data-field='words' autocomplete='off' value='")
    html.add(field: state.words)
    html.add("'></label><ul class='projects'><li>")
    button("project", "", "All projects", isPressed: state.project == nil, &html)
    html.add("</li>")
    for project in fetched(Fetch<Project>().sorted { $0.name.collated(.ignoringCase) }) {
      html.add("<li>")
      button("project", "\(project.id)", project.name, isPressed: state.project == project.id, &html)
      html.add("</li>")
    }
    html.add(
      "</ul><label>New project <input autocomplete='off' data-field='new-project' data-enter='new-project' value='")
    html.add(field: state.newProject)
    html.add("'></label>")
    button("shows-done", "\(!state.showsDone)", "Show done tasks", isPressed: state.showsDone, &html)
    html.add("<button data-do='new' class='primary'>New task</button>")
    html.add("<button data-do='import'>Import…</button>")
    return html
  }

  private func button(_ action: String, _ text: String, _ title: String, isPressed: Bool, _ html: inout HTML) {
    html.add("<button data-do='")
    html.add(text: action)
    html.add("' data-text='")
    html.add(text: text)
    html.add(isPressed ? "' aria-pressed='true'>" : "' aria-pressed='false'>")
    html.add(text: title)
    html.add("</button>")
  }

  private func fetched<Model: PersistentModel>(_ fetch: Fetch<Model>) -> [Model] {
    do { return try root.fetch(fetch) } catch {
      window.notice = "\(error)"
      return []
    }
  }

  // MARK: Rows

  /// How many rows are rendered above and below the first visible one.
  private static let above = 20
  private static let below = 60

  private var rows: HTML {
    let list = window.list.list
    let top = window.list.top
    let first = max(0, top.row - Self.above)
    let last = min(list.count, top.row + Self.below)
    var html = HTML()
    html.add("<ol id='tasks' data-count='")
    html.add(list.count)
    html.add("' data-first='")
    html.add(first)
    html.add("' data-top='")
    html.add(top.row)
    html.add("' data-offset='")
    html.add(top.offset)
    html.add("'>")
    for number in first..<max(first, last) {
      guard let path = list.path(ofRow: number) else { break }
      row(list.element(at: path), number, isFirst: path.item == 0 || number == first, &html)
    }
    html.add("</ol>")
    if list.count == 0 { html.add("<p class='empty'>No tasks.</p>") }
    return html
  }

  private func row(_ todo: Todo, _ number: Int, isFirst: Bool, _ html: inout HTML) {
    html.add("<li id='row-")
    html.add(text: "\(todo.id.uuid)")
    html.add("' data-row='")
    html.add(number)
    html.add("'><button data-do='open' data-text='")
    html.add(text: "\(todo.id)")
    html.add("'><time>")
    if isFirst { html.add(text: todo.due.isEmpty ? "no date" : todo.due) }
    html.add("</time><span class='title'>")
    html.add(text: todo.title)
    html.add("</span><span class='project'>")
    html.add(text: todo.project?.name ?? "")
    html.add("</span></button></li>")
  }

  // MARK: Notice

  private var notice: HTML {
    var html = HTML()
    if !window.notice.isEmpty {
      html.add("<p role='alert'>")
      html.add(text: window.notice)
      html.add("</p>")
    }
    if window.root.hasChanges, !window.turn.isTaken {
      ConflictRenderer(window: window, context: window.root).render(&html)
      html.add("<p role='alert'>Your last save is not finished. <button data-do='try-again'>Try again</button>")
      html.add("<button data-do='give-up'>Give it up</button></p>")
    } else if !window.notice.isEmpty {
      html.add("<button data-do='dismiss'>Close</button>")
    }
    for node in window.lost {
      html.add("<p role='alert'>Unsaved edits of a task that is gone: ")
      html.add(text: node)
      html.add("</p>")
    }
    return html
  }

  // MARK: Import

  private var dialog: HTML {
    var html = HTML()
    guard let dialog = window.dialog else { return html }
    let state = dialog.node.state
    html.add("<form aria-label='Import' autocomplete='off'><h2>Import tasks</h2>")
    html.add("<p>Paste lines with the columns title, due, project and notes. The first line names the columns.</p>")
    html.add("<textarea data-field='csv' rows='8'")
    if state.name != nil { html.add(" readonly") }
    html.add(">\n")
    html.add(field: state.text)
    html.add("</textarea>")
    if let failure = state.failure {
      html.add("<p role='alert'>")
      html.add(text: failure)
      html.add("</p>")
    }
    if state.name != nil {
      html.add("<p class='progress'>")
      html.add(state.saved)
      html.add(state.isDone ? " tasks imported.</p>" : " tasks are saved…</p>")
    }
    if !dialog.isRunning, !state.isDone { html.add("<button type='button' data-do='start-import'>Import</button>") }
    html.add("<button type='button' data-do='close-import'>Close</button></form>")
    return html
  }

  // MARK: Editors

  private var editors: HTML {
    var html = HTML()
    for editor in window.editors { EditorRenderer(window, editor).render(&html) }
    return html
  }
}
