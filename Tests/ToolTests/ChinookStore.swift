import RepriseCore
import RepriseDynamic
import RepriseObjectModel
import RepriseTestTool
import XCTest

/// The first artists of a store of music, with their albums, tracks and a playlist.
@MainActor
enum ChinookStore {
  private static let entities = [
    EntityDescription(
      "Album",
      [
        .attribute("title", .string),
        PropertyDescription("artist", .toOne("Artist", inverse: "albums", .nullify)),
        PropertyDescription("tracks", .toMany("Track", inverse: nil, .cascade, isOrdered: true)),
      ]),
    EntityDescription(
      "Artist",
      [
        .attribute("name", .string, isOptional: true, isIndexed: true),
        PropertyDescription("albums", .toMany("Album", inverse: nil, .cascade, isOrdered: false)),
      ]),
    EntityDescription(
      "Playlist",
      [
        .attribute("name", .string, isOptional: true),
        PropertyDescription("tracks", .toMany("Track", inverse: "playlists", .nullify, isOrdered: true)),
      ]),
    EntityDescription(
      "Track",
      [
        .attribute("name", .string, isIndexed: true),
        .attribute("composer", .string, isOptional: true),
        .attribute("milliseconds", .int, isIndexed: true),
        .attribute("bytes", .int, isOptional: true), .attribute("unitPrice", .double),
        PropertyDescription("album", .toOne("Album", inverse: "tracks", .nullify)),
        PropertyDescription("playlists", .toMany("Playlist", inverse: nil, .nullify, isOrdered: false)),
        PropertyDescription("", .words("name")),
      ]),
  ]

  static func make() async throws -> GoldenStore {
    try await GoldenStore { try await DataStore.write(entities, to: $0, fill) }
  }

  static func id(_ entity: String, _ key: String) -> AnyObjectID? {
    AnyObjectID("\(entity)/\(UniqueID(high: 0x0190_0000_0000_7000, low: 1 << 63 | (UInt64(key) ?? 0)))")
  }

  private static func fill(_ data: DataStore) async throws {
    let context = RootContext(data.store, author: "shop")
    var known: Set<AnyObjectID> = []
    for line in try DataStore.lines("chinook/objects.jsonl.gz").dropFirst() {
      let parts: [Any] = try DataStore.json(line)
      guard let entity = parts[0] as? String, let key = parts[1] as? String, let id = id(entity, key),
        let json = parts[2] as? [String: Any]
      else { continue }
      var values: [String: PropertyValue] = [:]
      for name in ["name", "title", "composer", "milliseconds", "bytes"] {
        if let value = json[name] { values[name] = DataStore.value(value) }
      }
      if let price = json["unitPrice"] as? Double { values["unitPrice"] = .double(price) }
      func refer(_ name: String, _ target: String) -> Bool {
        guard let key = json[name] as? String, let id = self.id(target, key), known.contains(id) else { return false }
        values[name] = .reference(id)
        return true
      }
      switch entity {
      case "Artist": if (Int(key) ?? 0) > 4 { continue }
      case "Album": if !refer("artist", "Artist") { continue }
      case "Track": if !refer("album", "Album") { continue }
      case "Playlist": if key != "17" && key != "1" { continue }
      default: continue
      }
      known.insert(id)
      try data.insert(id, values, in: context)
      if entity == "Playlist" {
        let tracks = (json["tracks"] as? [String] ?? []).compactMap { self.id("Track", $0) }.filter(known.contains)
        try context.object(id).setMembers(of: "tracks", to: Array(tracks.prefix(12)))
      }
    }
    try await context.save("Fill the shop")
    try await edit(data)
  }

  private struct Page: Codable, Sendable {
    let title: String
    let row: Int
  }

  private final class Screen {}

  /// A draft and a screen, which a program leaves.
  private static func edit(_ data: DataStore) async throws {
    let context = try RootContext(data.store, author: "clerk", draft: "editor")
    let artist = try XCTUnwrap(id("Artist", "1"))
    try context.object(artist).set("name", to: .string("AC-DC"))
    let kind = NodeKind<Page, Screen>("Page")
    let restoration = Restoration(data.store, scene: "window", appVersion: "1.2")
    try restoration.define(kind) { _ in Screen() }
    try await restoration.restore()
    try restoration.open(kind, id: "shelf", state: Page(title: "Artists", row: 3))
    try await restoration.flush()
    try await data.store.flush()
    restoration.end()
  }
}
