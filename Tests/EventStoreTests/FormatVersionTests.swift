import Foundation
import RepriseLMDB
import RepriseTestLog
import RepriseTestModels
import XCTest

@testable import RepriseEventStore
@testable import RepriseObjectModel

/// Stores of other formats than this library's, and stores that lack a part of it.
final class FormatVersionTests: XCTestCase {
  private var path = ""

  override func setUp() { path = NSTemporaryDirectory() + "reprise-version-" + UUID().uuidString }

  override func tearDown() {
    for name in [path, path + "-new"] { try? FileManager.default.removeItem(atPath: name) }
  }

  private func open() throws -> Store {
    var options = StoreOptions()
    options.isUnflushed = true
    return try Store.openNow(path, for: Schema(LogSample.self), options)
  }

  /// A store whose entry of the format says this.
  private func makeStore(format: [UInt8]) async throws {
    let store = try open()
    try store.environment.write { (transaction) throws(StorageError) in
      try MetaTable(store.tables.meta).put(MetaKey.format, format, transaction)
    }
    try await store.close()
  }

  /// A store of a version before 0.1, which had fewer tables and fewer facts.
  private func makePrereleaseStore(format: UInt32) throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    var options = Environment.Options(tables: StoreTables.names)
    options.isUnflushed = true
    let environment = try Environment.open(directory: path, options)
    defer { environment.close() }
    try environment.write { (transaction) throws(StorageError) in
      try MetaTable(environment.table("meta")).put(MetaKey.format, MetaTable.bytes(format), transaction)
    }
  }

  private func failure(_ body: () async throws -> Void) async -> StoreError? {
    do {
      try await body()
      XCTFail("not refused")
      return nil
    } catch {
      return error as? StoreError
    }
  }

  private enum Call: CaseIterable {
    case open, ready, preview, check, compact, rebuild, erase, salvage
  }

  /// Makes one of the calls that open a closed store, or maintain it. `verify` and `backup` need an open store.
  private func make(_ call: Call) async throws {
    let schema = Schema(LogSample.self)
    switch call {
    case .open: try await Store.open(path, for: schema).close()
    case .ready: try await Store.opening(path, for: schema).ready()
    case .preview: _ = try await StoreMaintenance.preview(MigrationPlan(), of: path, for: schema)
    case .check: _ = try await StoreMaintenance.check(path)
    case .compact: try await StoreMaintenance.compact(path)
    case .rebuild: try await StoreMaintenance.rebuild(path)
    case .erase:
      let object = AnyObjectID(EntityName("Sample"), LogFixture.object(1))
      try await StoreMaintenance.erase([Erasure(of: object, ["title"])], in: path)
    case .salvage: try await StoreMaintenance.salvage(path, to: path + "-new")
    }
  }

  private func data() throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path + "/data.mdb")) }

  func testAStoreOfAVersionBeforeTheFirstReleaseIsRefusedAndKept() async throws {
    for number in UInt32(1)...3 {
      try makePrereleaseStore(format: number)
      let before = try data()
      for call in Call.allCases {
        let error = await failure { try await make(call) }
        guard case .prereleaseFormat(path)? = error else { return XCTFail("\(call): \(error as Any)") }
      }
      XCTAssertEqual(try data(), before)
      XCTAssertFalse(FileManager.default.fileExists(atPath: path + "-new"))
      try FileManager.default.removeItem(atPath: path)
    }
  }

  func testAStoreOfANewerFormatIsRefused() async throws {
    try await makeStore(format: Array("RPRS".utf8) + [3, 0, 0, 0])
    let before = try data()
    // A damaged number looks like a newer format, and `salvage` reads damaged stores.
    for call in Call.allCases where call != .salvage {
      let error = await failure { try await make(call) }
      guard case .newerFormat(path, found: 3, supported: 1)? = error else {
        return XCTFail("\(call): \(error as Any)")
      }
    }
    XCTAssertEqual(try data(), before)
    try await make(.salvage)
    let salvaged = try Store.openNow(path + "-new", for: Schema(LogSample.self), StoreOptions())
    XCTAssertEqual(try StoreMaintenance.verifyNow(salvaged).problems, [])
    try await salvaged.close()
  }

  func testAStoreThatSharesItsLogIsNotChanged() async throws {
    try await makeStore(format: Array("RPRS".utf8) + [2, 0, 0, 0])
    let before = try data()
    for call in [Call.open, .ready, .preview, .rebuild, .erase] {
      let error = await failure { try await make(call) }
      guard case .sharesLog(path)? = error else {
        return XCTFail("\(call): \(error as Any)")
      }
    }
    XCTAssertEqual(try data(), before)
    // They keep every row.
    try await make(.check)
    try await make(.compact)
  }

  func testAStoreWithAnotherMarkIsDamaged() async throws {
    try await makeStore(format: Array("RPRT".utf8) + [1, 0, 0, 0])
    let error = await failure { _ = try self.open() }
    guard case .damaged? = error else { return XCTFail("\(error as Any)") }
  }

  /// A file with all tables of a store but one.
  private func makeFile(without missing: String) throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    let names = (StoreTables.names + StoreTables.lazyNames).filter { $0 != missing }
    var options = Environment.Options(tables: names)
    options.makesAfterImages = missing != ImagePlaces.table
    options.isUnflushed = true
    try Environment.open(directory: path, options).close()
  }

  /// A store without one of its tables.
  private func makeStore(without missing: String) async throws {
    try makeFile(without: missing)
    // The first opening still writes the facts.
    await requireMissing(missing) { try await make(.open) }
  }

  private func requireMissing(_ table: String, _ body: () async throws -> Void) async {
    let (path, reason) = (path, "the table '\(table)' is missing")
    let error = await failure(body)
    guard case .damaged(path, reason)? = error else { return XCTFail("\(error as Any)") }
  }

  func testEveryTableIsMadeWithTheStore() async throws {
    try await open().close()
    let report = try await StoreMaintenance.check(path)
    XCTAssertTrue(report.isSound, report.description)
  }

  func testATableThatIsMissingIsDamageAndCanBeSalvaged() async throws {
    for name in StoreTables.lazyNames {
      try await makeStore(without: name)
      let before = try data()
      for call in [Call.open, .ready, .preview, .compact, .rebuild, .erase] {
        await requireMissing(name) { try await make(call) }
      }
      XCTAssertEqual(try data(), before)
      let report = try await StoreMaintenance.check(path)
      XCTAssertEqual(report.problems.map(\.description), ["table '\(name)': it is missing"])
      try await make(.salvage)
      let salvaged = try Store.openNow(path + "-new", for: Schema(LogSample.self), StoreOptions())
      XCTAssertEqual(try StoreMaintenance.verifyNow(salvaged).problems, [])
      try await salvaged.close()
      for path in [path, path + "-new"] { try FileManager.default.removeItem(atPath: path) }
    }
  }

  func testAFileWithoutAnEagerTableIsNotAStore() async throws {
    for name in StoreTables.names {
      try makeFile(without: name)
      for call in [Call.open, .compact] {
        let (path, reason) = (path, "there is no table \(name)")
        let error = await failure { try await make(call) }
        guard case .notAStore(path, reason)? = error else { return XCTFail("\(call): \(error as Any)") }
      }
      try FileManager.default.removeItem(atPath: path)
    }
  }
}
