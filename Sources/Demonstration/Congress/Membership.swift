#if Macros
import RepriseCore

/// A legislator's seat on a committee. `key` is `committee/legislator`.
@Model final class Membership {
  var key: String
  var committeeKey: String = ""
  var legislatorKey: String = ""
  var side: Side?
  var rank: Int?
  var title: String?
  var chamber: Chamber?
  var startDate: String?
  var date: String?
  var source: String?
  var govtrack: Int?
  var opensecrets: String?
  var votesmart: Int?
  var icpsr: Int?
  var lis: String?

  @Relationship(inverse: \Committee.memberships) var committee: Committee?
  @Relationship(inverse: \Legislator.memberships) var legislator: Legislator?

  init(key: String) { self.key = key }
}

extension Membership: HistoryModel {
  static func describe(_ attributes: inout AttributeTable<Membership>) {
    attributes.add("committee", \.committeeKey)
    attributes.add("legislator", \.legislatorKey)
    attributes.add("party", \.side)
    attributes.add("rank", \.rank)
    attributes.add("title", \.title)
    attributes.add("chamber", \.chamber)
    attributes.add("start_date", \.startDate)
    attributes.add("date", \.date)
    attributes.add("source", \.source)
    attributes.add("govtrack", \.govtrack)
    attributes.add("opensecrets", \.opensecrets)
    attributes.add("votesmart", \.votesmart)
    attributes.add("icpsr", \.icpsr)
    attributes.add("lis", \.lis)
  }
}
#endif
