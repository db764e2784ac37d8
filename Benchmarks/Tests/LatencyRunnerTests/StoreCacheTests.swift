import Foundation
import XCTest

@testable import LatencyRunner

final class StoreCacheTests: XCTestCase {
  private var folder = ""
  private let shape = StoreShape(objects: 10, events: 20)

  override func setUp() async throws {
    folder = NSTemporaryDirectory() + "store-cache-\(UUID().uuidString)"
    try FileManager.default.createDirectory(
      atPath: folder + "/workers/dynamic", withIntermediateDirectories: true)
    try installWorker()
  }

  override func tearDown() async throws { try? FileManager.default.removeItem(atPath: folder) }

  /// A worker in sh that writes its arguments into the store and counts how often it ran.
  private func installWorker(version: Int = 1) throws {
    let path = folder + "/workers/dynamic/grdb-worker"
    let script = """
      #!/bin/sh
      # \(version)
      mkdir "$2" && echo "$@" >"$2/data" && echo "$1" >>"\(folder)/calls"
      echo objects 10; echo events 20; echo elapsed 5
      """
    try script.write(toFile: path, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
  }

  private func cache(keepsOld: Bool = false) throws -> StoreCache {
    try StoreCache(folder: folder + "/stores", workers: Workers(folder: folder + "/workers"), keepsOld: keepsOld)
  }

  private var calls: Int {
    (try? String(contentsOfFile: folder + "/calls", encoding: .utf8).split(separator: "\n").count) ?? 0
  }

  func testAStoreIsBuiltOnceForEachPeer() throws {
    let store = try cache().store(shape, of: .grdb)
    XCTAssertEqual(try cache().store(shape, of: .grdb), store)
    XCTAssertEqual(calls, 1)
    let usual = try cache().store(shape, of: .grdbUsual)
    XCTAssertNotEqual(usual, store)
    XCTAssertTrue(
      try String(contentsOfFile: usual + "/data", encoding: .utf8).contains("events=20 batch=10000 usual=1"))
  }

  func testAStoreOfOtherThingsIsAnotherStore() throws {
    let items = try cache().store(shape, of: .grdb)
    let tasks = try cache().store(StoreShape(objects: 10, events: 20, content: .tasks), of: .grdb)
    XCTAssertNotEqual(items, tasks)
    XCTAssertEqual(try cache().store(shape, of: .grdb), items)
    XCTAssertTrue(try String(contentsOfFile: tasks + "/data", encoding: .utf8).hasPrefix("make-tasks "))
    XCTAssertTrue(try String(contentsOfFile: items + "/data", encoding: .utf8).hasPrefix("make "))
  }

  func testAWorkerThatMakesNoSuchStoreLeavesNothing() throws {
    try "#!/bin/sh\nexit 64\n".write(
      toFile: folder + "/workers/dynamic/grdb-worker", atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o755], ofItemAtPath: folder + "/workers/dynamic/grdb-worker")
    XCTAssertThrowsError(try cache().store(shape, of: .grdb)) { error in
      XCTAssertEqual(error as? BenchmarkError, .unsupported)
    }
    XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: folder + "/stores"), [])
  }

  func testAnotherBuildOfTheWorkerBuildsTheStoreAnew() throws {
    let store = try cache().store(shape, of: .grdb)
    try installWorker(version: 2)
    XCTAssertEqual(try cache(keepsOld: true).store(shape, of: .grdb), store)
    XCTAssertNotEqual(try cache().store(shape, of: .grdb), store)
    XCTAssertEqual(calls, 2)
    XCTAssertFalse(FileManager.default.fileExists(atPath: store))
  }

  func testAStoreOfAnotherShapeIsRefused() throws {
    XCTAssertThrowsError(try cache().store(StoreShape(objects: 11, events: 20), of: .grdb))
    XCTAssertThrowsError(try cache().store(StoreShape(objects: 11, events: 20), of: .grdb), "taken for built")
  }

  func testACopyIsItsOwnersAlone() throws {
    let cache = try cache()
    var copies: [ScratchStore] = try [cache.copy(shape, of: .grdb), cache.copy(shape, of: .grdb)]
    XCTAssertNotEqual(copies[0].path, copies[1].path)
    let gone = copies.removeFirst().path
    XCTAssertFalse(FileManager.default.fileExists(atPath: gone))
    XCTAssertTrue(FileManager.default.fileExists(atPath: copies[0].path + "/data"))
  }

  func testAMissingWorkerIsNoFaultOfAPeer() throws {
    XCTAssertThrowsError(try cache().store(shape, of: .lmdb)) { error in
      XCTAssertEqual(error as? BenchmarkError, .missing("lmdb-worker, built dynamic"))
    }
  }
}
