import RepriseCore
import RepriseTool
import XCTest

/// The output of a command on real data changes, or is hard to read.
@MainActor
final class GoldenTests: XCTestCase {
  func testAHistoryIsShownAsBefore() async throws {
    let golden = try await CongressStore.make()
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
    let ryan = try XCTUnwrap(CongressStore.id("Legislator", "R000570"))
    let places = Places(store)
    let (from, to) = (try places.position("2013-01-01"), try places.position("2014-01-01"))
    try golden.check("congress-diff.txt") { try DifferenceReport.write(store, from: from, to: to, to: $0) }
    let past = try store.context(at: to)
    try golden.check("congress-show.txt") { try ObjectReport(ryan, in: past).write(to: $0) }
    try golden.check("congress-history.txt") { try ObjectReport(ryan, in: context).writeHistory(limit: 8, to: $0) }
    try golden.check("congress-blame.txt") { try ObjectReport(ryan, in: past).writeBlame(to: $0) }
    try golden.check("congress-schema.txt") { try SchemaReport(store).write(to: $0) }
    try golden.check("congress-schema-swift.txt") { try SchemaReport(store).writeSwift(to: $0) }
    var info: [String] = []
    try InfoReport(store).write(to: Output(.text(Style())) { info.append($0) })
    try GoldenFile.check(GoldenStore.withoutSizes(info), "congress-info.txt")
    var export = StoreExport()
    export.position = to
    try await golden.export("congress-export.jsonl", export)
    try await store.close()
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
    try GoldenFile.check(GoldenStore.withoutSizes(info), "chinook-info.txt")
    try await store.close()
  }
}
