#if Macros
import RepriseCore

struct MemberListState: Codable, Sendable {
  var top: ModelIdentifier?
  var selected: ModelIdentifier?
}

/// All members in sections by the first character of their last name, a few rows of it visible.
@MainActor final class MemberList: Screen {
  static let kind = NodeKind<MemberListState, MemberList>("member-list")
  static let visibleRows = 10

  let node: RestorationNode<MemberListState>
  let members: FetchedList<Legislator>

  init(_ node: RestorationNode<MemberListState>, _ members: FetchedList<Legislator>) {
    self.node = node
    self.members = members
  }

  // MARK: What the user does

  func scroll(toRow index: Int) {
    node.state.top = members.snapshot.path(at: index).flatMap { members.modelIdentifier(at: $0) }
  }

  func select(_ path: RowPath) { node.state.selected = members.modelIdentifier(at: path) }

  // MARK: What the user sees

  /// The place of the first visible row: that of the object on top, wherever it stands now.
  var topRow: Int {
    guard let top = node.state.top, let path = members.row(for: top).path else { return 0 }
    return members.snapshot.index(of: path) ?? 0
  }

  var visiblePaths: [RowPath] {
    let snapshot = members.snapshot
    return (topRow..<min(topRow + Self.visibleRows, snapshot.count)).compactMap { snapshot.path(at: $0) }
  }

  var title: String { "Members of Congress" }

  func lines() -> [String] {
    let paths = visiblePaths
    let selected = node.state.selected.flatMap { members.row(for: $0).path }
    var lines = [
      "rows \(topRow + 1) to \(topRow + paths.count) of \(members.count), in \(members.sectionCount) sections"
    ]
    var section: Int?
    for path in paths {
      if path.section != section {
        section = path.section
        lines.append("── \(members.sectionName(path.section) ?? "") (\(members.rowCount(inSection: path.section))) ──")
      }
      let member = members.element(at: path)
      let term = member.termsByStart.last
      lines.append(
        (path == selected ? "▸ " : "  ") + member.listName.padded(to: 24) + " "
          + (term.map { "\($0.party.prefix(1)) \($0.seat.rawValue) \($0.place)" } ?? ""))
    }
    return lines
  }
}
#endif
