#if Macros
import RepriseCore

/// A member of Congress. `key` is the Bioguide number.
@Model final class Legislator {
  var key: String
  var firstName: String = ""
  @Attribute(.indexed, .searchable) var lastName: String = ""
  var middleName: String?
  var suffix: String?
  var nickname: String?
  @Attribute(.searchable) var officialName: String?
  var thomasName: String?

  var birthday: String?
  var gender: Gender?
  var religion: String?

  var bioguide: String = ""
  var thomas: String?
  var lis: String?
  var govtrack: Int?
  var opensecrets: String?
  var votesmart: Int?
  var fec: TextList?
  var fecNumber: String?
  var cspan: Int?
  var wikipedia: String?
  var wikidata: String?
  var googleEntity: String?
  var houseHistory: Int?
  var ballotpedia: String?
  var maplight: Int?
  var icpsr: Int?
  var pictorial: Int?
  var washingtonPost: String?

  @Relationship(deleteRule: .cascade) var terms: ToMany<Term>
  @Relationship(deleteRule: .cascade) var socialAccount: SocialAccount?
  @Relationship(deleteRule: .cascade) var memberships: ToMany<Membership>

  init(key: String) { self.key = key }
}

extension Legislator: HistoryModel {
  static func describe(_ attributes: inout AttributeTable<Legislator>) {
    attributes.add("name.first", \.firstName)
    attributes.add("name.last", \.lastName)
    attributes.add("name.middle", \.middleName)
    attributes.add("name.suffix", \.suffix)
    attributes.add("name.nickname", \.nickname)
    attributes.add("name.official_full", \.officialName)
    attributes.add("name.thomas", \.thomasName)
    attributes.add("bio.birthday", \.birthday)
    attributes.add("bio.gender", \.gender)
    attributes.add("bio.religion", \.religion)
    attributes.add("id.bioguide", \.bioguide)
    attributes.add("id.thomas", \.thomas)
    attributes.add("id.lis", \.lis)
    attributes.add("id.govtrack", \.govtrack)
    attributes.add("id.opensecrets", \.opensecrets)
    attributes.add("id.votesmart", \.votesmart)
    attributes.add("id.fec", \.fec)
    attributes.add("id.fec_id", \.fecNumber)
    attributes.add("id.cspan", \.cspan)
    attributes.add("id.wikipedia", \.wikipedia)
    attributes.add("id.wikidata", \.wikidata)
    attributes.add("id.google_entity_id", \.googleEntity)
    attributes.add("id.house_history", \.houseHistory)
    attributes.add("id.ballotpedia", \.ballotpedia)
    attributes.add("id.maplight", \.maplight)
    attributes.add("id.icpsr", \.icpsr)
    attributes.add("id.pictorial", \.pictorial)
    attributes.add("id.washington_post", \.washingtonPost)
  }
}

extension Legislator {
  /// Last name first, as in a directory.
  var listName: String { "\(lastName), \(nickname ?? firstName)" + (suffix.map { " \($0)" } ?? "") }

  /// Oldest first.
  var termsByStart: [Term] { terms.sorted { ($0.start, $0.key) < ($1.start, $1.key) } }
}
#endif
