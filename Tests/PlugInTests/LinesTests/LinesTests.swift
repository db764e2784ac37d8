import Foundation
import LinesPlugIn
import RepriseCore
import RepriseTesting
import XCTest

/// `QuerySource` with a stranger's query.
@MainActor final class LinesTests: XCTestCase {
  private var path = ""

  override func setUp() async throws {
    path = NSTemporaryDirectory() + "/reprise-lines-\(UInt64.random(in: 0 ... .max))"
  }

  override func tearDown() async throws { try? FileManager.default.removeItem(atPath: path) }

  private func write(_ lines: [String]) throws {
    try lines.joined(separator: "\n").write(toFile: path, atomically: true, encoding: .utf8)
  }

  private func source(pageSize: Int? = nil, interval: Duration = .seconds(3_600)) -> QuerySource<LinesQuery> {
    QuerySource(LinesQuery(path), pageSize: pageSize, interval: interval)
  }

  private func shuffled(_ numbers: inout some RandomNumberGenerator) -> [String] {
    let names = ["a", "b", "c", "d", "e", "f"].shuffled(using: &numbers)
    return names.prefix(.random(in: 0...6, using: &numbers)).map { "\($0) \(Int.random(in: 0..<3, using: &numbers))" }
  }

  func testAStrangersPlugInConforms() async throws {
    try write(["a 1"])
    let conformance = DataSourceConformance(
      makeSource: { self.source() }, change: { _, numbers in try self.write(self.shuffled(&numbers)) },
      content: { $0 }, settle: { try await $0.delivered() })
    try await conformance.run()
    try await conformance.runRowChanges()
    try await conformance.runRefreshing(
      changingBehind: { _, numbers in try self.write(self.shuffled(&numbers)) },
      failing: { _, isFailing in
        let (from, to) = isFailing ? (self.path, self.path + "~") : (self.path + "~", self.path)
        try FileManager.default.moveItem(atPath: from, toPath: to)
      })
    try write(["a 1", "b 2"])
    try await DataSourceConformance(
      makeSource: { self.source() }, change: { _, _ in }, content: { $0 }, settle: { try await $0.delivered() }
    ).runRelaunching { _ in self.source() }
    try await DataSourceConformance(makeSource: { self.source() }, change: { _, _ in }, content: { $0 })
      .runRestoring { _ in self.source() }
  }

  func testItsPagesConform() async throws {
    try write((0..<23).map { "line\($0) x" })
    try await DataSourceConformance(makeSource: { self.source(pageSize: 4) }, change: { _, _ in }, content: { $0 })
      .runPaging(failing: { _, isFailing in
        let (from, to) = isFailing ? (self.path, self.path + "~") : (self.path + "~", self.path)
        try FileManager.default.moveItem(atPath: from, toPath: to)
      })
  }

  func testChangesAreFollowedWithoutBeingAskedAndMergedUntilTheSourcesTurn() async throws {
    try write(["a 1", "b 1", "c 1"])
    let source = source(interval: .milliseconds(2))
    try await source.ready()
    var batches: [ListBatch] = []
    let observation = source.observe { batches.append($0) }
    // The main actor has no turn in between, however often the source asks.
    for number in 2..<30 {
      try write(["c \(number)", "a 1"])
      usleep(3_000)
    }
    for await _ in source.batches where source.element(at: RowPath(item: 0)) == "c 29" { break }
    XCTAssertLessThan(batches.count, 5)
    XCTAssertEqual(batches.first?.changes?.deletedRows, [RowPath(item: 1)])
    XCTAssertEqual(batches.first?.changes?.movedRows.count, 1)
    observation.cancel()
  }

  func testTwoRowsWithOneIdentifierAreAFailure() async throws {
    try write(["a 1", "a 2"])
    do {
      try await source().ready()
      XCTFail("ready")
    } catch SourceError.invalid(source: "lines:", let reason) {
      XCTAssertEqual(
        reason, "two rows have the identifier 'lines:a', but the columns of the key must be unique together")
    }
  }

  func testALimitThatCouldNotBeReadIsAskedForAgain() async throws {
    let source = source(pageSize: 2)
    do { try await source.ready() } catch {}
    try write(["a 1", "b 1", "c 1"])
    try await source.refresh()
    XCTAssertEqual(source.count, 2)
    XCTAssertTrue(source.canLoadMore)
    XCTAssertEqual(source.row(for: ModelIdentifier("lines:c")), .notLoaded)
    try await source.loadMore()
    XCTAssertEqual(source.row(for: ModelIdentifier("lines:c")), .row(RowPath(item: 2)))
    XCTAssertEqual(source.row(for: ModelIdentifier("lines:d")), .deleted)
    XCTAssertEqual(source.row(for: ModelIdentifier("other:c")), .foreignStore)
  }
}
