import Reprise

/// Renders the conflicts of a context, each with a choice.
@MainActor struct ConflictRenderer {
  let window: Window
  let context: EditingContext

  func render(_ html: inout HTML) {
    guard let conflicts = try? context.conflicts(), !conflicts.isEmpty else { return }
    html.add("<section class='conflicts' role='alert'><h3>Somebody else changed the same fields</h3><ul>")
    for conflict in conflicts {
      let blame = Todo.ID(conflict.object).flatMap { try? window.root.object($0) }
        .flatMap { try? window.root.blame(for: $0) }
      let property = conflict.attribute ?? ""
      html.add("<li><b>")
      html.add(text: property)
      html.add("</b>: ")
      html.add(text: blame?[property]?.author ?? "Somebody")
      html.add(" saved “")
      html.add(text: conflict.theirs.text)
      html.add("”. You wrote “")
      html.add(text: conflict.mine.text)
      html.add("”. ")
      html.add(button: "mine", text: Self.name(of: conflict), "Keep mine")
      html.add(button: "theirs", text: Self.name(of: conflict), "Take theirs")
      html.add("</li>")
    }
    html.add("</ul></section>")
  }

  private static func name(of conflict: Conflict) -> String { "\(conflict.object) \(conflict.attribute ?? "")" }

  /// Keeps the user's value, or takes the one that somebody else has saved.
  static func resolve(_ name: String, withMine: Bool, in context: EditingContext) throws {
    for conflict in try context.conflicts() where self.name(of: conflict) == name {
      try context.resolve(conflict, with: withMine ? conflict.mine : conflict.theirs)
    }
  }
}
