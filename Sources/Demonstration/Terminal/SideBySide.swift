#if Macros
/// Two screens next to each other.
@MainActor struct SideBySide {
  let before: [String]
  let after: [String]

  var areEqual: Bool { before == after }

  func print(on terminal: Terminal) {
    let width = ScreenText.width
    terminal.line("    " + "before".padded(to: width) + "    " + "after", .faint)
    for index in 0..<max(before.count, after.count) {
      let left = index < before.count ? before[index] : ""
      let right = index < after.count ? after[index] : ""
      let style = style(of: right)
      let sign = left == right ? terminal.styled("=", .good) : terminal.styled("≠", .bad)
      terminal.line(
        "    " + terminal.styled(left.padded(to: width), style) + " \(sign)  " + terminal.styled(right, style))
    }
  }

  private func style(of line: String) -> Terminal.Style {
    if line.hasPrefix(ScreenText.titleMark) { return .bold }
    if line.contains(ScreenText.caret) || line.contains("uncommitted:") { return .edited }
    return line.hasPrefix("  ──") ? .faint : .plain
  }
}
#endif
