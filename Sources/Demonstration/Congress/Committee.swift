#if Macros
import RepriseCore

/// A committee, or a subcommittee of one: a tree. `key` is the committee's number; for a subcommittee the parent's
/// number and its own.
@Model final class Committee {
  var key: String
  var parentKey: String?
  var chamber: Chamber = .house
  var name: String = ""
  var thomas: String?
  var thomasComment: String?
  var houseNumber: String?
  var senateNumber: String?
  var congresses: TextList?
  var jurisdiction: String?
  var jurisdictionSource: String?
  var url: String?
  var minorityURL: String?
  var rss: String?
  var minorityRSS: String?
  var wikipedia: String?
  var youtubeChannel: String?
  var address: String?
  var phone: String?
  /// What it was called in earlier congresses.
  var formerNames: FormerNames?

  @Relationship(inverse: \Committee.subcommittees) var parent: Committee?
  @Relationship(deleteRule: .cascade) var subcommittees: ToMany<Committee>
  @Relationship(deleteRule: .cascade) var memberships: ToMany<Membership>

  init(key: String) { self.key = key }
}

extension Committee: HistoryModel {
  static func describe(_ attributes: inout AttributeTable<Committee>) {
    attributes.add("parent", \.parentKey)
    attributes.add("type", \.chamber)
    attributes.add("name", \.name)
    attributes.add("thomas_id", \.thomas)
    attributes.add("thomas_id_comment", \.thomasComment)
    attributes.add("house_committee_id", \.houseNumber)
    attributes.add("senate_committee_id", \.senateNumber)
    attributes.add("congresses", \.congresses)
    attributes.add("jurisdiction", \.jurisdiction)
    attributes.add("jurisdiction_source", \.jurisdictionSource)
    attributes.add("url", \.url)
    attributes.add("minority_url", \.minorityURL)
    attributes.add("rss_url", \.rss)
    attributes.add("minority_rss_url", \.minorityRSS)
    attributes.add("wikipedia", \.wikipedia)
    attributes.add("youtube_id", \.youtubeChannel)
    attributes.add("address", \.address)
    attributes.add("phone", \.phone)
    attributes.addOthers(\.formerNames)
  }
}
#endif
