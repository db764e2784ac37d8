#if Macros
import RepriseCore

/// What the editors change, as one context sees it.
struct MemberFacts: Equatable {
  let rows: [String]

  static let names = ["nickname", "full name", "phone", "office", "terms", "seats on committees"]

  @MainActor init(_ member: Legislator.ID, _ term: Term.ID, in context: ObjectContext) throws {
    let member = try context.object(member)
    let term = try context.object(term)
    rows = [
      member.nickname ?? "—", member.officialName ?? "—", term.phone ?? "—", term.office ?? "—",
      member.terms.count.grouped, member.memberships.count.grouped,
    ]
  }

  /// Prints a table with a column for each context, and highlights what differs from the column before.
  @MainActor static func print(_ columns: [(name: String, facts: MemberFacts)], on terminal: Terminal) {
    let width = 25
    let last = columns.count - 1
    let cell = { (text: String, column: Int) in column == last ? text : text.padded(to: width) + " " }
    let heads = columns.indices.map { cell(columns[$0].name, $0) }.joined()
    terminal.line("    " + String(repeating: " ", count: 20) + heads, .faint)
    for (index, name) in names.enumerated() {
      var line = "    " + name.padded(to: 20)
      for (column, entry) in columns.enumerated() {
        let text = entry.facts.rows[index]
        let isEdited = column > 0 && columns[column - 1].facts.rows[index] != text
        line += terminal.styled(cell(text, column), isEdited ? .edited : .plain)
      }
      terminal.line(line)
    }
  }
}
#endif
