import RepriseCore
import RepriseDynamic
import RepriseEventStore
import RepriseSystem
import RepriseTestTool
import RepriseTool
import XCTest

/// A call reports a wrong part of its work, or none.
@MainActor
final class ProgressTests: XCTestCase {
  private var folder: ExchangeFolder!

  override func setUp() async throws {
    folder = try ExchangeFolder()
    let schema = try EntityDescription.schema([EntityDescription("Note", [.attribute("title", .string)])])
    var options = StoreOptions()
    options.isUnflushed = true
    let store = try Store.openNow(folder.path("a"), for: schema, options)
    let note = try Places(store).entity("Note")
    // Each call reports some hundreds of objects or transactions at a time.
    let context = RootContext(store)
    for number in 0..<2_500 { try context.insert(note, ["title": .string("Note \(number)")]) }
    try await context.save()
    for number in 0..<600 {
      let context = RootContext(store)
      try context.insert(note, ["title": .string("Late note \(number)")])
      try await context.save()
    }
    try await store.close()
  }

  private func check(_ parts: [Double], _ line: UInt = #line) {
    XCTAssertGreaterThan(parts.count, 1, line: line)
    XCTAssertEqual(parts, parts.sorted(), line: line)
    XCTAssertTrue(parts.allSatisfy { (0...1).contains($0) }, "\(parts)", line: line)
    XCTAssertTrue(parts.contains { $0 < 0.75 } && parts.contains { $0 > 0.4 }, "\(parts)", line: line)
  }

  func testAnExportReportsAWrongPart() async throws {
    for entity in [nil, "Note"] {
      let parts = Guarded<[Double]>([])
      _ = try await folder.export("a") {
        $0.entity = entity
        $0.progress = { part in parts.withLock { $0.append(part) } }
      }
      check(parts.withLock { $0 })
      XCTAssertEqual(parts.withLock { $0.last }, 1)
    }
  }

  func testAnImportReportsAWrongPart() async throws {
    let file = try await folder.write(folder.export("a"), to: "a.jsonl")
    var parts: [ImportStep: [Double]] = [:]
    try await folder.run(file, into: "b") { $0.progress = { parts[$0, default: []].append($1) } }
    check(try XCTUnwrap(parts[.checking]))
    check(try XCTUnwrap(parts[.saving]))
    for (name, text) in try await folder.tables("a") { _ = try folder.write(text, to: name) }
    parts = [:]
    try await folder.run(folder.path("Note.csv"), into: "b") { $0.progress = { parts[$0, default: []].append($1) } }
    check(try XCTUnwrap(parts[.checking]))
  }

  func testALogReportsAWrongPart() async throws {
    try await folder.inspect("a") { store in
      var report = LogReport()
      report.author = "nobody"
      var parts: [Double] = []
      try report.write(store, to: Output(.json) { _ in }) { parts.append($0) }
      check(parts)
    }
  }
}
