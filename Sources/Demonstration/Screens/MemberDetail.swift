#if Macros
import RepriseCore

struct MemberDetailState: Codable, Sendable {
  var member: Legislator.ID
}

/// One member, as the log has them.
@MainActor final class MemberDetail: Screen {
  static let kind = NodeKind<MemberDetailState, MemberDetail>("member-detail")

  let node: RestorationNode<MemberDetailState>
  let member: Legislator

  init(_ node: RestorationNode<MemberDetailState>, _ member: Legislator) {
    self.node = node
    self.member = member
  }

  var title: String { "\(member.firstName) \(member.lastName), \(member.key)" }

  func lines() -> [String] {
    let terms = member.termsByStart
    let memberships = member.memberships.sorted { $0.key < $1.key }
    var lines = [
      ScreenText.field("born", member.birthday), ScreenText.field("nickname", member.nickname),
      ScreenText.field("terms", terms.count.grouped),
    ]
    if let term = terms.last {
      lines.append("  \(term.start) to \(term.end), \(term.seat.rawValue) \(term.place)")
      lines.append("  " + ScreenText.field("phone", term.phone))
      lines.append("  " + ScreenText.field("office", term.office))
    }
    lines.append(ScreenText.field("seats", memberships.count.grouped))
    for membership in memberships.prefix(3) {
      let role = membership.title ?? membership.rank.map { "no. \($0)" } ?? ""
      lines.append("  \(role.padded(to: 8)) \(membership.committee?.name ?? membership.committeeKey)")
    }
    return lines
  }
}
#endif
