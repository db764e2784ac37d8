#if Macros
import RepriseCore

/// One term in office of a legislator. `key` is `legislator#type@start`.
@Model final class Term {
  var key: String
  var legislatorKey: String = ""
  var seat: Seat = .representative
  var start: String = ""
  var end: String = ""
  var stateCode: String?
  var district: Int?
  var senateClass: Int?
  var stateRank: String?
  var party: String = ""
  var caucus: String?
  var partyAffiliations: TextList?
  var how: String?
  var endType: String?
  var url: String?
  var address: String?
  var office: String?
  var phone: String?
  var fax: String?
  var contactForm: String?
  var rss: String?

  @Relationship(inverse: \Legislator.terms) var legislator: Legislator?

  init(key: String) { self.key = key }
}

extension Term: HistoryModel {
  static func describe(_ attributes: inout AttributeTable<Term>) {
    attributes.add("legislator", \.legislatorKey)
    attributes.add("type", \.seat)
    attributes.add("start", \.start)
    attributes.add("end", \.end)
    attributes.add("state", \.stateCode)
    attributes.add("district", \.district)
    attributes.add("class", \.senateClass)
    attributes.add("state_rank", \.stateRank)
    attributes.add("party", \.party)
    attributes.add("caucus", \.caucus)
    attributes.add("party_affiliations", \.partyAffiliations)
    attributes.add("how", \.how)
    attributes.add("end-type", \.endType)
    attributes.add("url", \.url)
    attributes.add("address", \.address)
    attributes.add("office", \.office)
    attributes.add("phone", \.phone)
    attributes.add("fax", \.fax)
    attributes.add("contact_form", \.contactForm)
    attributes.add("rss_url", \.rss)
  }
}

extension Term {
  /// The seat: `CA-11`, or the state alone for the Senate.
  var place: String { (stateCode ?? "") + (district.map { "-\($0)" } ?? "") }
}
#endif
