import RepriseEventStore
import RepriseLists
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import RepriseTestSeeds
import XCTest

extension Track: ShownModel {
  var shown: [String: String] {
    ["title": "\(title, default: "nil")", "copy": "\(copy, default: "nil")", "year": "\(year)"]
  }
}

final class CollatedListTests: XCTestCase {
  private static let titles = [
    "", "Ärger", "apfel", "Apfel", "7 up", "07 UP", "12 b", "Öl", "ol", "OL", "Straße", "strasse", "ﬁsh", "Fish",
    "zebra",
  ]

  private static func letter(_ track: Track) -> String {
    switch track.title {
    case nil, "": ""
    case "7 up", "07 UP", "12 b": "0-9"
    case "Ärger", "apfel", "Apfel": "A"
    case "Öl", "ol", "OL": "O"
    case "Straße", "strasse": "S"
    case "ﬁsh", "Fish": "F"
    default: "Z"
    }
  }

  private static func plainest(_ track: Track) -> String {
    switch track.title {
    case "7 up", "07 UP": "7 up"
    case "Ärger": "arger"
    case "apfel", "Apfel": "apfel"
    case "Öl", "ol", "OL": "ol"
    case "Straße", "strasse": "strasse"
    case "ﬁsh", "Fish": "fish"
    default: track.title ?? ""
    }
  }

  /// Over the index, and in memory.
  func testListsUnderACollationFollowRandomEdits() async throws {
    for seed in seedsOfRounds(3, changes: 120) {
      var random = SeededGenerator(seed: seed)
      let test = try TestStore(Schema(Track.self))
      let root = RootContext(test.store)
      let child = root.makeChild()
      var lists: [ShadowList<Track>] = []
      for context in [root, child] as [EditingContext] {
        for isIndexed in [true, false] {
          func title(_ fields: Track.Fields) -> Field<Track, String> {
            (isIndexed ? fields.title : fields.copy).collated(Track.numbered)
          }
          let up = Fetch<Track>().sorted { title($0) }
          let down = Fetch<Track> { title($0) >= "12 B" }.sorted { title($0).descending }
          for (fetch, section) in [
            (up.sectioned { title($0).firstCharacter() }, Self.letter),
            (up.sectioned { title($0).section }, Self.plainest),
            (down.sectioned { title($0).firstCharacter() }, Self.letter),
            (down.sectioned { title($0).section }, Self.plainest),
          ] as [(Fetch<Track>, (Track) -> String)] {
            let list = try ShadowList("seed \(seed), \(isIndexed)", fetch, in: context, section: section)
            XCTAssertEqual(
              list.list.explain().rows,
              isIndexed
                ? .countedIndex(property: "[title ignoringCase+ignoringDiacritics+natural]") : .inMemory)
            lists.append(list)
          }
        }
      }
      for step in 0..<120 {
        let context: EditingContext = Bool.random(using: &random) ? root : child
        let title = Int.random(in: 0..<9, using: &random) == 0 ? nil : Self.titles.randomElement(using: &random)
        if let track = try context.fetch(Fetch<Track>()).randomElement(using: &random), step % 3 > 0 {
          switch Int.random(in: 0..<6, using: &random) {
          case 0: context.delete(track)
          case 1: track.year += 1
          default:
            context.group(nil) {
              track.title = title
              track.copy = title
            }
          }
        } else {
          context.insert(Track(title))
        }
        if step % 17 == 0 { try child.save(merging: .mine) }
        if step % 31 == 0 { try await root.save(merging: .mine) }
        for list in lists { try list.check("seed \(seed), step \(step)") }
        if testRun?.totalFailureCount ?? 0 > 0 { return }
      }
    }
  }
}
