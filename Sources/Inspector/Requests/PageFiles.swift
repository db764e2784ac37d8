/// The files of the page. They are part of the program, so nobody can ask for a file of the machine.
package enum PageFiles {
  /// The answer with a file. `nil` if the page has no such file.
  package static func answer(_ path: String) -> PageAnswer? {
    guard let bytes = files[path.isEmpty ? "index.html" : path] else { return nil }
    // A new tab then needs no request for the scripts.
    return PageAnswer(type: type(of: path), isConstant: !path.isEmpty && path != "index.html", body: .bytes(bytes))
  }

  private static func type(of path: String) -> String {
    switch path.split(separator: ".").last {
    case "js": text("javascript")
    case "css": text("css")
    default: text("html")
    }
  }

  private static func text(_ kind: String) -> String { ["text/\(kind)", "charset=utf-8"].joined(separator: "; ") }

  /// The content of each file of the folder `Page`.
  package static let files: [String: [UInt8]] = [
    "api.js": PackageResources.api_js,
    "changes.js": PackageResources.changes_js,
    "columns.js": PackageResources.columns_js,
    "complete.js": PackageResources.complete_js,
    "detail.js": PackageResources.detail_js,
    "dialogs.js": PackageResources.dialogs_js,
    "dom.js": PackageResources.dom_js,
    "draftend.js": PackageResources.draftend_js,
    "drafts.js": PackageResources.drafts_js,
    "editor.js": PackageResources.editor_js,
    "entry.js": PackageResources.entry_js,
    "events.js": PackageResources.events_js,
    "fetchtext.js": PackageResources.fetchtext_js,
    "field.js": PackageResources.field_js,
    "focus.js": PackageResources.focus_js,
    "grid.js": PackageResources.grid_js,
    "index.html": PackageResources.index_html,
    "livestate.js": PackageResources.livestate_js,
    "log.js": PackageResources.log_js,
    "main.js": PackageResources.main_js,
    "pages.js": PackageResources.pages_js,
    "plans.js": PackageResources.plans_js,
    "play.js": PackageResources.play_js,
    "reach.js": PackageResources.reach_js,
    "resumed.js": PackageResources.resumed_js,
    "revert.js": PackageResources.revert_js,
    "rowfield.js": PackageResources.rowfield_js,
    "rows.js": PackageResources.rows_js,
    "scenes.js": PackageResources.scenes_js,
    "scroll.js": PackageResources.scroll_js,
    "state.js": PackageResources.state_js,
    "store.js": PackageResources.store_js,
    "style.css": PackageResources.style_css,
    "theme.js": PackageResources.theme_js,
    "time.js": PackageResources.time_js,
    "values.js": PackageResources.values_js,
    "words.js": PackageResources.words_js,
  ]
}
