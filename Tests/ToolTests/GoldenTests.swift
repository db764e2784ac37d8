import RepriseCore
import RepriseTestTool
import RepriseTool
import XCTest

/// The output of a command on real data changes, or is hard to read.
@MainActor
final class GoldenTests: XCTestCase {
  func testAHistoryIsShownAsBefore() async throws {
    let golden = try await GoldenStore(CongressStore.write)
    let store = golden.store!
    let context = RootContext(store)
    var log = LogReport()
    log.limit = .max
    try golden.check("congress-log.txt") { try log.write(store, to: $0) }
    log.detail = .counts
    try golden.check("congress-log-stat.txt") { try log.write(store, to: $0) }
    log.detail = .patch
    try golden.check("congress-log-patch.txt") { try log.write(store, to: $0) }
    log.limit = 3
    log.entity = "SocialAccount"
    try golden.check("congress-log-entity.txt") { try log.write(store, to: $0) }
    try GoldenFile.check(filteredLogs(store), "congress-log-filters.txt")
    let ryan = try XCTUnwrap(CongressStore.id("Legislator", "R000570"))
    let places = Places(store)
    let (from, to) = (try places.position("2013-01-01"), try places.position("2014-01-01"))
    try golden.check("congress-diff.txt") { try DifferenceReport.write(store, from: from, to: to, to: $0) }
    let past = try store.context(at: to)
    try golden.check("congress-show.txt") { try ObjectReport(ryan, in: past).write(to: $0) }
    try golden.check("congress-history.txt") { try ObjectReport(ryan, in: context).writeHistory(limit: 8, to: $0) }
    try golden.check("congress-blame.txt") { try ObjectReport(ryan, in: past).writeBlame(to: $0) }
    try GoldenFile.check(pastQueries(store), "congress-query.txt")
    try golden.check("congress-schema.txt") { try SchemaReport(store).write(to: $0) }
    try golden.check("congress-schema-swift.txt") { try SchemaReport(store).writeSwift(to: $0) }
    var info: [String] = []
    try InfoReport(store).write(to: Output(.text(Style())) { info.append($0) })
    try GoldenFile.check(GoldenMask.info(info), "congress-info.txt")
    var export = StoreExport()
    export.position = to
    try await golden.export("congress-export.jsonl", export)
    try await store.close()
  }

  /// The log with the filters of a command, each below its options.
  private func filteredLogs(_ store: Store) throws -> [String] {
    let places = Places(store)
    let term = try XCTUnwrap(CongressStore.id("Term", "R000570#rep@2013-01-03"))
    var filters: [(String, LogReport)] = []
    func add(_ options: String, _ change: (inout LogReport) throws -> Void) rethrows {
      var log = LogReport()
      try change(&log)
      filters.append((options, log))
    }
    add("--limit 2") { $0.limit = 2 }
    add("--author legislators --limit 1") { ($0.author, $0.limit) = ("legislators", 1) }
    add("--author nobody") { $0.author = "nobody" }
    try add("--since 2013-07-01 --until 2013-07-30") {
      ($0.first, $0.last) = (try places.firstPosition("2013-07-01"), try places.lastPosition("2013-07-30"))
    }
    try add("--since head~1") { $0.first = try places.firstPosition("head~1") }
    add("--object \(term) --stat") { ($0.object, $0.detail) = (term, .counts) }
    add("--object \(term) --patch --limit 2") { ($0.object, $0.detail, $0.limit) = (term, .patch, 2) }
    var found: [String] = []
    for (options, log) in filters {
      found.append("# log \(options)")
      try log.write(store, to: Output(.text(Style())) { found.append($0) })
    }
    return found
  }

  /// A fetch in the past, each below its options.
  private func pastQueries(_ store: Store) throws -> [String] {
    let fetch = "Term where state == WI order by start"
    var found: [String] = []
    for (moment, part, option) in [
      ("2012-12-31", QueryReport.Part.objects, ""), ("2014-01-01", .count, " --count"), ("@30", .count, " --count"),
      ("2014-01-01", .plan, " --explain"),
    ] {
      var report = try QueryReport(fetch.replacing("WI", with: #""WI""#))
      report.part = part
      report.position = try Places(store).position(moment)
      found.append("# query --as-of \(moment)\(option)")
      try report.write(store, to: Output(.text(Style())) { found.append($0) })
    }
    return found
  }

  func testAShopIsShownAsBefore() async throws {
    let golden = try await ChinookStore.make()
    let store = golden.store!
    let context = RootContext(store)
    let fetches = [
      #"Track where name contains[nocase] "rock" order by name"#,
      "Track where milliseconds > 300000 order by milliseconds desc limit 5",
      #"Album where artist.name == "AC/DC" order by title"#,
    ]
    var found: [String] = []
    for fetch in fetches {
      for part in [QueryReport.Part.objects, .count, .plan] {
        var report = try QueryReport(fetch)
        report.part = part
        found.append("# \(fetch)\(part == .objects ? "" : part == .count ? " --count" : " --explain")")
        try report.write(store, to: Output(.text(Style())) { found.append($0) })
        found.append("")
      }
    }
    try GoldenFile.check(found, "chinook-query.txt")
    let playlist = try XCTUnwrap(ChinookStore.id("Playlist", "17"))
    try golden.check("chinook-show.txt") { try ObjectReport(playlist, in: context).write(to: $0) }
    try golden.check("chinook-schema.txt") { try SchemaReport(store).write(to: $0) }
    try golden.check("chinook-schema-swift.txt") { try SchemaReport(store).writeSwift(to: $0) }
    try await golden.export("chinook-export.jsonl", StoreExport())
    var table = ""
    try StoreExport().writeCSV(store, store.entity(named: "Track")) { table += $0 }
    try GoldenFile.check(table.split(separator: "\r\n").map(String.init), "chinook-tracks.csv")
    var info: [String] = []
    try InfoReport(store).write(to: Output(.text(Style())) { info.append($0) })
    try GoldenFile.check(GoldenMask.info(info), "chinook-info.txt")
    try await store.close()
  }
}
