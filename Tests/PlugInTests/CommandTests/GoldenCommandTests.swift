import Foundation
import RepriseTestTool
import XCTest

/// The command prints another text than its reports.
final class GoldenCommandTests: XCTestCase {
  private let folder = NSTemporaryDirectory() + "reprise-golden-command-\(UUID().uuidString)"
  private var store: String { folder + "/store" }

  override func setUpWithError() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  override func tearDownWithError() throws { try FileManager.default.removeItem(atPath: folder) }

  private static func path(_ name: String) -> String {
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appending(components: "ToolTests", "Golden", name).path
  }

  private static func golden(_ name: String) throws -> String {
    try String(contentsOfFile: path(name), encoding: .utf8)
  }

  private func run(_ arguments: [String]) throws -> String {
    let result = try Command.run(arguments)
    XCTAssertEqual(result.status, 0, result.errors)
    XCTAssertEqual(result.errors, "")
    return result.output
  }

  /// The outputs in a file with a heading for each command.
  private static func sections(_ name: String) throws -> [String: String] {
    var (sections, heading): ([String: String], String) = ([:], "")
    for line in try golden(name).split(separator: "\n") {
      if line.hasPrefix("# ") {
        heading = String(line.dropFirst(2))
        sections[heading] = ""
      } else {
        sections[heading, default: ""] += line + "\n"
      }
    }
    return sections
  }

  func testARealStoreIsShownOtherwise() throws {
    _ = try run(["import", store, Self.path("chinook-export.jsonl")])
    XCTAssertEqual(try run(["export", store]), try Self.golden("chinook-export.jsonl"))
    XCTAssertEqual(try run(["schema", store]), try Self.golden("chinook-schema.txt"))
    XCTAssertEqual(try run(["schema", store, "--swift"]), try Self.golden("chinook-schema-swift.txt"))
    let playlist = "Playlist/01900000-0000-7000-8000-000000000011"
    XCTAssertEqual(try run(["show", store, playlist]), try Self.golden("chinook-show.txt"))
    XCTAssertEqual(
      try run(["export", store, "--entity", "Track", "--format", "csv"]).replacing("\r\n", with: "\n"),
      try Self.golden("chinook-tracks.csv"))
    let json = try Self.sections("chinook-json.txt")
    XCTAssertEqual(try run(["schema", store, "--json"]), json["schema"])
    XCTAssertEqual(try run(["show", store, playlist, "--json"]), json["show"])
    var count = 0
    for (heading, lines) in json where heading.hasPrefix("query ") {
      let parts = heading.split(separator: "'").map(String.init)
      let options = parts.dropFirst(2).flatMap { $0.split(separator: " ").map(String.init) }
      XCTAssertEqual(try run(["query", store, parts[1], "--json"] + options), lines, heading)
      count += 1
    }
    XCTAssertEqual(count, 6)
    for (heading, lines) in try Self.sections("chinook-query.txt") where !heading.isEmpty {
      let parts = heading.components(separatedBy: " --")
      let found = try run(["query", store, parts[0]] + parts.dropFirst().map { "--" + $0 })
      XCTAssertEqual(found.trimmingCharacters(in: .newlines), lines.trimmingCharacters(in: .newlines), heading)
    }
  }

  @MainActor func testARealHistoryIsShownOtherwise() async throws {
    try await CongressStore.write(to: store)
    let ryan = try XCTUnwrap(CongressStore.id("Legislator", "R000570")).description
    let past = ["--as-of", "2014-01-01"]
    for (name, arguments) in [
      ("log", ["log", store, "-n", "1000"]), ("log-stat", ["log", store, "--stat", "--limit", "1000"]),
      ("log-patch", ["log", store, "--patch", "-n", "1000"]),
      ("log-entity", ["log", store, "--patch", "-n", "3", "--entity", "SocialAccount"]),
      ("diff", ["diff", store, "2013-01-01", "2014-01-01"]), ("history", ["history", store, ryan, "-n", "8"]),
      ("show", ["show", store, ryan] + past), ("blame", ["blame", store, ryan] + past),
      ("schema", ["schema", store]), ("schema-swift", ["schema", store, "--swift"]),
    ] { XCTAssertEqual(try run(arguments), try Self.golden("congress-\(name).txt"), name) }
    XCTAssertEqual(try run(["export", store] + past), try Self.golden("congress-export.jsonl"))
    let info = try run(["info", store]).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    XCTAssertEqual(GoldenMask.info(info).joined(separator: "\n"), try Self.golden("congress-info.txt"))
    let filters = try Self.sections("congress-log-filters.txt")
    XCTAssertEqual(filters.count, 7)
    let fetch = #"Term where state == "WI" order by start"#
    let queries = try Self.sections("congress-query.txt")
    XCTAssertEqual(queries.count, 4)
    for (heading, lines) in filters.merging(queries, uniquingKeysWith: { first, _ in first }) {
      let words = heading.split(separator: " ").map(String.init)
      let found = try run([words[0], store] + (words[0] == "query" ? [fetch] : []) + words.dropFirst())
      XCTAssertEqual(found, lines, heading)
    }
  }

  @MainActor func testTheJSONOfAHistoryDiffers() async throws {
    try await CongressStore.write(to: store)
    let ryan = try XCTUnwrap(CongressStore.id("Legislator", "R000570")).description
    let sections = try Self.sections("congress-json.txt")
    XCTAssertEqual(sections.count, 8)
    for (heading, lines) in sections {
      let words = heading.split(separator: " ").map(String.init)
      let object = ["show", "blame", "history"].contains(words[0]) ? [ryan] : []
      let found = try run([words[0], store] + object + words.dropFirst() + ["--json"])
      let masked = found.split(separator: "\n").map { GoldenMask.json(String($0), of: heading) + "\n" }
      XCTAssertEqual(masked.joined(), lines, heading)
    }
  }
}
