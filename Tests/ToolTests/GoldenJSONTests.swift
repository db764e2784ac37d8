import RepriseCore
import RepriseTestTool
import RepriseTool
import XCTest

/// A program that reads the JSON of a command finds other names or forms.
@MainActor
final class GoldenJSONTests: XCTestCase {
  /// The lines of several commands, each below a heading.
  private final class Script {
    private(set) var lines: [String] = []

    func run(_ command: String, _ write: (Output) throws -> Void) rethrows {
      lines.append("# \(command)")
      try write(Output(.json) { [self] in lines.append(GoldenMask.json($0, of: command)) })
    }
  }

  func testAHistoryHasAnotherForm() async throws {
    let golden = try await GoldenStore(CongressStore.write)
    let store = golden.store!
    let context = RootContext(store)
    let ryan = try XCTUnwrap(CongressStore.id("Legislator", "R000570"))
    let places = Places(store)
    let (from, to) = (try places.position("2013-01-01"), try places.position("2014-01-01"))
    let past = try store.context(at: to)
    let script = Script()
    try script.run("info") { try InfoReport(store).write(to: $0) }
    var log = LogReport()
    log.limit = 3
    try script.run("log -n 3") { try log.write(store, to: $0) }
    try script.run("show --as-of 2014-01-01") { try ObjectReport(ryan, in: past).write(to: $0) }
    try script.run("diff 2013-01-01 2014-01-01") { try DifferenceReport.write(store, from: from, to: to, to: $0) }
    try script.run("blame --as-of 2014-01-01") { try ObjectReport(ryan, in: past).writeBlame(to: $0) }
    try script.run("history -n 2") { try ObjectReport(ryan, in: context).writeHistory(limit: 2, to: $0) }
    try script.run("schema") { try SchemaReport(store).write(to: $0) }
    let report = try await StoreMaintenance.verify(store)
    try script.run("verify") { try FindingsReport(report).write(to: $0) }
    try GoldenFile.check(script.lines, "congress-json.txt")
    try await store.close()
  }

  func testAShopHasAnotherForm() async throws {
    let golden = try await ChinookStore.make()
    let store = golden.store!
    let script = Script()
    try script.run("info") { try InfoReport(store).write(to: $0) }
    for fetch in [
      "Track where milliseconds > 300000 order by milliseconds desc limit 5",
      #"Album where artist.name == "AC/DC" order by title"#,
    ] {
      var report = try QueryReport(fetch)
      for (part, option) in [(QueryReport.Part.objects, ""), (.count, " --count"), (.plan, " --explain")] {
        report.part = part
        try script.run("query '\(fetch)'\(option)") { try report.write(store, to: $0) }
      }
    }
    let playlist = try XCTUnwrap(ChinookStore.id("Playlist", "17"))
    try script.run("show") { try ObjectReport(playlist, in: RootContext(store)).write(to: $0) }
    try script.run("drafts") { try DraftsReport(store).write(to: $0) }
    try script.run("drafts editor") { try DraftsReport(store).draft("editor").write(to: $0) }
    try script.run("scenes") { try ScenesReport(store).write(to: $0) }
    try script.run("scenes window") { try ScenesReport(store).tree(of: "window").write(to: $0) }
    try script.run("schema") { try SchemaReport(store).write(to: $0) }
    try GoldenFile.check(script.lines, "chinook-json.txt")
    try await store.close()
  }
}
