import Foundation
import RepriseCore
import RepriseDynamic
import RepriseObjectModel

/// The history of two members of Congress: their names, terms and accounts, as the edits of 14 years made them.
@MainActor
public enum CongressStore {
  private static let members = ["R000570", "A000069"]
  private static let numbers = [
    "id.govtrack", "id.votesmart", "id.cspan", "id.house_history", "id.icpsr", "id.maplight",
  ]

  private static func attributes(_ names: String...) -> [PropertyDescription] {
    names.map { name in
      let isNumber = numbers.contains(name) || name == "district" || name == "class" || name == "twitter_id"
      return .attribute(name, isNumber ? .int : .string, isOptional: true)
    }
  }

  private static let entities = [
    EntityDescription(
      "Legislator",
      [.attribute("key", .string, isIndexed: true)]
        + attributes(
          "name.first", "name.middle", "name.last", "name.official_full", "bio.birthday", "bio.gender", "bio.religion",
          "id.bioguide", "id.thomas", "id.lis", "id.govtrack", "id.opensecrets", "id.votesmart", "id.fec_id", "id.fec",
          "id.cspan", "id.wikipedia", "id.house_history", "id.ballotpedia", "id.maplight", "id.washington_post",
          "id.icpsr", "id.wikidata", "id.google_entity_id") + [
          PropertyDescription("terms", .toMany("Term", inverse: nil, .cascade, isOrdered: false)),
          PropertyDescription("socialAccount", .toOne("SocialAccount", inverse: nil, .cascade)),
          PropertyDescription(
            "", .index([IndexColumn("key")], isUnique: true, nilsAreEqual: false, keepsHistory: false)),
          PropertyDescription("", .words("name.official_full")),
        ]),
    EntityDescription(
      "SocialAccount",
      attributes(
        "twitter", "twitter_id", "youtube", "youtube_id", "facebook", "facebook_id", "facebook_graph", "instagram")
        + [PropertyDescription("legislator", .toOne("Legislator", inverse: "socialAccount", .nullify))]),
    EntityDescription(
      "Term",
      attributes(
        "type", "start", "end", "state", "district", "class", "state_rank", "party", "url", "address", "phone", "fax",
        "contact_form", "office", "rss_url") + [
          PropertyDescription("legislator", .toOne("Legislator", inverse: "terms", .nullify)),
          PropertyDescription(
            "",
            .index(
              [IndexColumn("state", .ignoringCase), IndexColumn("start")], isUnique: false, nilsAreEqual: false,
              keepsHistory: false)),
        ]),
  ]

  /// Makes the store at a path, and closes it.
  public static func write(to path: String) async throws { try await DataStore.write(entities, to: path, replay) }

  /// The ID of an object, made of its key.
  public static func id(_ entity: String, _ key: String) -> AnyObjectID? {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in key.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    let uuid = UniqueID(high: 0x0190_0000_0000_7000, low: hash >> 2 | 1 << 63)
    return AnyObjectID("\(entity)/\(uuid)")
  }

  private static func replay(_ data: DataStore) async throws {
    let dates = ISO8601DateFormatter()
    for line in try DataStore.lines("congress-history/history.jsonl.gz").dropFirst()
    where members.contains(where: { line.utf8.contains($0.utf8) }) {
      let transaction: [String: Any] = try DataStore.json(line)
      guard let time = (transaction["time"] as? String).flatMap(dates.date(from:)),
        let operations = transaction["ops"] as? [[Any]], let revision = transaction["rev"] as? String
      else { continue }
      data.setTime(time)
      let context = RootContext(data.store, author: "legislators")
      for operation in operations { try apply(operation, in: context, data) }
      if context.hasChanges { try await context.save("Commit \(revision.prefix(7))") }
    }
  }

  private static func apply(_ operation: [Any], in context: RootContext, _ data: DataStore) throws {
    guard let kind = operation[0] as? String, let entity = operation[1] as? String, let key = operation[2] as? String,
      ["Legislator", "Term", "SocialAccount"].contains(entity), members.contains(String(key.prefix(7))),
      let id = id(entity, key)
    else { return }
    var values: [String: PropertyValue] = [:]
    for (name, value) in operation.count > 3 ? operation[3] as? [String: Any] ?? [:] : [:] {
      values[name] = DataStore.value(value)
    }
    for name in operation.count > 4 ? operation[4] as? [String] ?? [] : [] { values[name] = .null }
    if entity == "Legislator" { values["key"] = .string(key) }
    if case .string(let legislator)? = values["legislator"] {
      values["legislator"] = self.id("Legislator", legislator).map { .reference($0) }
    }
    switch kind {
    case "+": try data.insert(id, values, in: context)
    case "~":
      // Some edits of the source come before the insertion of their object.
      guard let object = try? context.object(id) else { return }
      for (name, value) in values where type(of: object).entity.property(named: name) != nil {
        try object.set(name, to: value)
      }
    default:
      guard let object = try? context.object(id) else { return }
      context.delete(object)
    }
  }
}
