import XCTest

@testable import LatencyRunner

final class PlanTests: XCTestCase {
  private let names: Set = [
    "restore.cold.10k", "restore.cold.100k", "restore.cold.1M", "restore.cold.10k.static", "restore.cold.100k.static",
    "restore.cold.1M.static", "restore.inside.100k", "restore.dropped.100k", "restore.log.10k", "restore.log.100k",
    "restore.log.1M", "restore.log.10M", "read.byID", "save.one", "save.page", "save.one.bytes", "save.one.flushes",
    "save.eight", "save.worst", "load.1000", "load.10000", "discard.1000", "rank.100k", "rank.1M", "rank.10M",
    "rebuild", "store.bytesPerObject",
    "log.bytesPerKeystroke", "index.build.1M", "index.build.1M.rate", "load.1M", "load.1M.memory",
    "value.large", "value.large.out", "value.large.file",
    "query.first50.half", "query.first50.onePercent", "query.first50.pending", "query.first50.pendingOther",
    "query.first50.half.property", "query.first50.onePercent.property", "query.prefix50", "query.prefix50.1M",
    "query.all.objects", "query.all.ids", "query.top50.unindexed",
    "query.in100", "query.or", "query.sum.grouped", "query.search", "query.compound", "query.count.range",
    "query.count.range.1M",
    "query.count.range.10M", "query.rank", "query.rank.1M", "query.rank.10M", "query.nth", "query.nth.1M",
    "query.nth.10M",
    "list.open.condition", "list.change.condition", "list.change.twoKeys", "list.change.index", "list.change.saved",
    "list.memory.condition",
    "restoration.visible.100", "restoration.visible.10k", "restoration.visible.100k", "restoration.all.100",
    "restoration.all.10k", "restoration.all.100k", "restoration.change", "restoration.change.bytes",
    "restoration.flush", "restoration.lag.import", "restoration.lag.flush", "restoration.remote",
    "restoration.remote.list", "restoration.remote.load", "restoration.remote.load.memory", "restoration.remote.1M",
    "restoration.remote.load.1M", "restoration.remote.load.1M.memory", "restoration.draft", "restoration.draft.visible",
    "graph.insert.unique", "graph.insert.indexed", "graph.pair", "graph.toOne", "graph.move", "graph.move.bytes",
    "graph.arrange",
    "graph.rename", "graph.convert",
    "past.object.10", "past.object.10k", "past.fetch50", "past.fetch50.head", "history.object", "history.fetch",
    "undo.saved",
    "undo.saved.save", "merge.1000", "merge.1000.save", "feed.process", "past.fetch50.far", "past.first.head",
    "past.first.1k", "past.first.100k", "past.first.1M", "past.first.1k.log", "past.first.100k.log",
    "past.first.1M.log", "past.pins", "past.pins.none", "compact", "backup", "copy", "log.keystroke",
    "log.keystroke.written",
  ]

  func testTheRowsAreThosePromised() {
    let rows = Plan(profile: .full).rows.map(\.name)
    XCTAssertEqual(Set(rows), names)
    XCTAssertEqual(rows.count, names.count)
  }

  func testAQuickRunLeavesOutTheLargestSizes() {
    XCTAssertEqual(
      names.subtracting(Plan(profile: .quick).rows.map(\.name)),
      [
        "restore.cold.1M", "restore.cold.1M.static", "restore.log.1M", "restore.log.10M", "rank.1M", "rank.10M",
        "query.prefix50.1M", "query.count.range.1M", "query.count.range.10M", "query.rank.1M", "query.rank.10M",
        "query.nth.1M", "query.nth.10M", "restoration.visible.100k", "restoration.all.100k",
        "index.build.1M", "index.build.1M.rate", "load.1M", "load.1M.memory", "restoration.remote.1M",
        "restoration.remote.load.1M", "restoration.remote.load.1M.memory", "past.first.1M", "past.first.1M.log",
      ])
  }

  func testTheRowThatEmptiesMemoryIsTheLast() {
    XCTAssertEqual(Plan(profile: .full).rows.last?.name, "restore.dropped.100k")
  }

  func testRowsAreChosenByTheBeginningsOfTheirNames() throws {
    let chosen = try LatencyCommand<AllRows>.parse(["--only", "save.one", "--only", "rank.10M"]).rows.map(\.name)
    XCTAssertEqual(chosen, ["save.one", "save.one.bytes", "save.one.flushes", "rank.10M"])
    XCTAssertThrowsError(try LatencyCommand<AllRows>.parse(["--only", "restore.warm"]))
    XCTAssertThrowsError(try LatencyCommand<AllRows>.parse(["--quick", "--only", "rank.10M"]))
  }

  func testEachProgramHasTheRowsOfItsNameAndTheFirstHasAll() throws {
    let all = try LatencyCommand<AllRows>.parse([]).rows.map(\.name)
    let queries = try LatencyCommand<QueryRows>.parse([]).rows.map(\.name)
    let lists = try LatencyCommand<ListRows>.parse([]).rows.map(\.name)
    XCTAssertEqual(Set(all), names)
    XCTAssertEqual(queries, all.filter { $0.hasPrefix("query.") })
    XCTAssertEqual(lists, all.filter { $0.hasPrefix("list.") })
    XCTAssertEqual(queries.count + lists.count, 31)
    XCTAssertEqual(try LatencyCommand<HistoryRows>.parse([]).rows.count, 26)
    XCTAssertEqual(LatencyCommand<QueryRows>.configuration.commandName, "query-latency")
    XCTAssertThrowsError(try LatencyCommand<ListRows>.parse(["--only", "query.rank"]), "has another program's row")
  }

  /// Else new rows would make every comparison longer, with nothing to compare.
  func testAComparisonMeasuresTheRowsOfTheBaselineAlone() throws {
    let baseline = Baseline([.of("rank.100k", .reprise, [1]), .of("query.rank", .reprise, [1])], profile: .full)
    let command = try LatencyCommand<AllRows>.parse([])
    XCTAssertEqual(try command.rows(comparedWith: baseline).map(\.name), ["rank.100k", "query.rank"])
    XCTAssertEqual(try command.rows(comparedWith: nil).count, names.count)
    let saving = try LatencyCommand<AllRows>.parse(["--save", "new.json"])
    XCTAssertEqual(try saving.rows(comparedWith: baseline).count, names.count)
    XCTAssertThrowsError(try LatencyCommand<ListRows>.parse([]).rows(comparedWith: baseline)) { error in
      XCTAssertEqual(error as? BenchmarkError, .failed("the baseline has none of the rows"))
    }
  }

  func testEveryQuestionIsAskedOfAFewSamplesAtLeast() {
    for profile in [Plan.Profile.full, .quick] {
      let plan = Plan(profile: profile)
      for row in plan.rows {
        guard case .asked(_, let question) = row.work else { continue }
        XCTAssertGreaterThanOrEqual(plan.rounds(of: row.work) * plan.roundsInside(of: question), 6, row.name)
        XCTAssertTrue("\(question.subject.rawValue).\(row.name)".contains(question.name), row.name)
      }
    }
  }
}
