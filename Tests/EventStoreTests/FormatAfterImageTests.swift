import Foundation
import RepriseEventStore
import RepriseLMDB
import RepriseLog
import RepriseObjectModel
import RepriseTestLog
import XCTest

/// The independent reader finds the last commit in its after-image, and `verify` compares both.
final class FormatAfterImageTests: XCTestCase {
  private var path = ""

  override func setUp() { path = NSTemporaryDirectory() + "reprise-after-image-" + UUID().uuidString }
  override func tearDown() { try? FileManager.default.removeItem(atPath: path) }

  private func open() throws -> Store { try Store.openNow(path, for: Schema(LogSample.self), StoreOptions()) }

  private func save(_ number: UInt64, in store: Store) async throws {
    let entity = try XCTUnwrap(store.map.map(EntityName("Sample")))
    let object = AnyObjectID(entity.entity.interned, LogFixture.object(number))
    let request = SaveRequest(base: store.log.head, author: "ada", changes: [(object, .inserted(entity.defaults))])
    _ = try await store.save(request).get()
  }

  private var data: URL { URL(fileURLWithPath: path + "/data.mdb") }

  func testIndependentReaderRepeatsACutOffCommit() async throws {
    var store = try open()
    for number in 1...3 {
      try await save(UInt64(number), in: store)
      XCTAssertEqual(try PythonReader.run("reprise_reader.py", path).problems, [], "after save \(number)")
    }
    let before = try Data(contentsOf: data)
    let commit = try store.environment.beginRead().id + 1
    try await save(4, in: store)
    await store.abandon()
    // A power cut takes the meta page.
    let page = (commit & 1) * Int(getpagesize())
    var after = try Data(contentsOf: data)
    after.replaceSubrange(page..<page + Int(getpagesize()), with: before[page..<page + Int(getpagesize())])
    try after.write(to: data)

    let output = try PythonReader.run("reprise_reader.py", path)
    XCTAssertEqual(output.problems, [])
    XCTAssertEqual(output.lines("interrupted").map { $0["commit"] as? Int }, [commit])
    XCTAssertEqual(output.lines("transaction").count, 5)
    XCTAssertEqual(output.lines("count").map { $0["count"] as? Int }, [4])

    let salvaged = path + "-salvaged"
    let report = try await StoreMaintenance.salvage(path, to: salvaged)
    XCTAssertEqual(report.transactions, 5)
    XCTAssertNil(report.lost)
    try FileManager.default.removeItem(atPath: salvaged)

    store = try open()
    XCTAssertEqual(store.log.head, 5)
    XCTAssertEqual(try StoreMaintenance.verifyNow(store).problems, [])
    try await store.close()
    XCTAssertEqual(try PythonReader.run("reprise_reader.py", path).lines("interrupted").count, 0)
  }

  func testAnAfterImageUnlikeItsTablesIsFound() async throws {
    let store = try open()
    try await save(1, in: store)
    let (tables, environment) = (store.tables, store.environment)
    let key = Array("what".utf8)
    try environment.write { (transaction) throws(StorageError) in
      try transaction.put(tables.meta, key: key.span.bytes, value: [1].span.bytes)
    }
    let commit = try environment.beginRead().id
    let image = try XCTUnwrap(try environment.afterImage(of: commit))
    XCTAssertEqual(image.changes.count, 1)
    // The checksum is made again.
    var bytes = image.encoded
    bytes[bytes.count - 1] = 2
    bytes.replaceSubrange(0..<4, with: withUnsafeBytes(of: AfterImage.checksum(bytes).littleEndian) { Array($0) })
    let file = try FileHandle(forUpdating: data)
    let place = try XCTUnwrap(Data(contentsOf: data).firstRange(of: Data(image.encoded))?.lowerBound)
    try file.seek(toOffset: UInt64(place))
    file.write(Data(bytes))
    try file.close()
    XCTAssertEqual(
      try StoreMaintenance.verifyNow(store).problems.filter { $0.contains("the list of changes") },
      ["The table 'meta' has a row that differs from the list of changes that the last commit wrote (key 77686174)."])
    let problems = try PythonReader.run("reprise_reader.py", path).problems
    XCTAssertTrue(
      problems.contains("meta: the row 77686174 is not what the after-image of the last commit says"), "\(problems)")
    await store.abandon()
  }
}
