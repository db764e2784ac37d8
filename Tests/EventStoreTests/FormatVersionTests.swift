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

  private func failure(_ body: () async throws -> Void) async -> StoreError? {
    do {
      try await body()
      XCTFail("not refused")
      return nil
    } catch {
      return error as? StoreError
    }
  }

  func testAStoreOfAVersionBeforeTheFirstReleaseIsRefusedAndKept() async throws {
    for number in UInt32(1)...3 {
      try await makeStore(format: MetaTable.bytes(number))
      let before = try Data(contentsOf: URL(fileURLWithPath: path + "/data.mdb"))
      let object = AnyObjectID(EntityName("Sample"), LogFixture.object(1))
      for body in [
        { _ = try self.open() }, { try await StoreMaintenance.rebuild(self.path) },
        { try await StoreMaintenance.erase([Erasure(of: object, ["title"])], in: self.path) },
        { try await StoreMaintenance.salvage(self.path, to: self.path + "-new") },
      ] as [() async throws -> Void] {
        let error = await failure(body)
        guard case .prereleaseFormat(path)? = error else { return XCTFail("\(error as Any)") }
      }
      XCTAssertEqual(try Data(contentsOf: URL(fileURLWithPath: path + "/data.mdb")), before)
      XCTAssertFalse(FileManager.default.fileExists(atPath: path + "-new"))
      try FileManager.default.removeItem(atPath: path)
    }
  }

  func testAStoreOfANewerFormatIsRefused() async throws {
    try await makeStore(format: Array("RPRS".utf8) + [2, 0, 0, 0])
    let error = await failure { _ = try self.open() }
    guard case .newerFormat(path, found: 2, supported: 1)? = error else { return XCTFail("\(error as Any)") }
  }

  func testAStoreWithAnotherMarkIsDamaged() async throws {
    try await makeStore(format: Array("RPRT".utf8) + [1, 0, 0, 0])
    let error = await failure { _ = try self.open() }
    guard case .damaged? = error else { return XCTFail("\(error as Any)") }
  }

  /// A store without some of its tables.
  private func makeStore(without missing: Set<String>) throws -> Store {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    let names = (StoreTables.names + StoreTables.lazyNames).filter { !missing.contains($0) }
    var options = Environment.Options(tables: names)
    options.makesAfterImages = !missing.contains(ImagePlaces.table)
    options.isUnflushed = true
    try Environment.open(directory: path, options).close()
    return try open()
  }

  func testEveryTableIsMadeWithTheStore() async throws {
    try await open().close()
    let report = try await StoreMaintenance.check(path)
    XCTAssertTrue(report.isSound, report.description)
  }

  func testATableThatIsMissingIsDamageAndCanBeSalvaged() async throws {
    let store = try makeStore(without: ["values", "projections"])
    let problems = try StoreMaintenance.verifyNow(store).problems
    for name in ["values", "projections"] {
      XCTAssertTrue(problems.contains { $0.contains("the table '\(name)' is missing") }, "\(problems)")
    }
    try await store.close()
    let report = try await StoreMaintenance.check(path)
    XCTAssertEqual(report.problems.compactMap(\.table), ["values", "projections"])
    _ = try await StoreMaintenance.salvage(path, to: path + "-new")
    let salvaged = try Store.openNow(path + "-new", for: Schema(LogSample.self), StoreOptions())
    XCTAssertEqual(try StoreMaintenance.verifyNow(salvaged).problems, [])
    try await salvaged.close()
  }

  func testAStoreWithoutAfterImagesCanBeUsed() async throws {
    let store = try makeStore(without: [ImagePlaces.table])
    XCTAssertEqual(
      try StoreMaintenance.verifyNow(store).problems,
      [
        "The table 'afterimages' cannot be read to its end: the only row of the table 'afterimages' is missing or "
          + "damaged."
      ])
    try await store.close()
    let report = try await StoreMaintenance.check(path)
    XCTAssertEqual(report.problems.compactMap(\.table), ["afterimages"])
  }

  func testAStoreWithoutItsTableOfBlobsIsNotOpened() async throws {
    let error = await failure { _ = try self.makeStore(without: ["blobs"]) }
    guard case .damaged(path, "the table 'blobs' is missing")? = error else { return XCTFail("\(error as Any)") }
  }
}
