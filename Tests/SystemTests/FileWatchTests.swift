import Foundation
import Synchronization
import XCTest

@testable import RepriseSystem

final class FileWatchTests: XCTestCase {
  private var folder = ""

  override func setUpWithError() throws {
    folder = NSTemporaryDirectory() + "reprise-watch-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  override func tearDownWithError() throws { try FileManager.default.removeItem(atPath: folder) }

  private func makeFile(_ name: String) -> String {
    let path = folder + "/" + name
    _ = FileManager.default.createFile(atPath: path, contents: Data())
    return path
  }

  private func write(_ path: String) throws {
    let file = try XCTUnwrap(FileHandle(forWritingAtPath: path))
    try file.seekToEnd()
    try file.write(contentsOf: Data([1]))
    try file.close()
  }

  private final class Looks: Sendable {
    private let count = Mutex(0)
    var value: Int { count.withLock { $0 } }
    func look() { count.withLock { $0 += 1 } }
  }

  private func wait(for looks: Looks, beyond count: Int) async throws {
    while looks.value <= count { try await Task.sleep(for: .milliseconds(1)) }
  }

  func testAWriteIsToldToThoseWhoWatchThatFile() async throws {
    let paths = (0..<3).map { makeFile("\($0)") }
    let looks = paths.map { _ in Looks() }
    var watches = zip(paths, looks).map { path, looks in
      FileWatch(path) {
        looks.look()
        return .found
      }
    }
    // Each looks once when it begins, for what was written before.
    for looks in looks { try await wait(for: looks, beyond: 0) }
    try write(paths[1])
    try await wait(for: looks[1], beyond: 1)
    XCTAssertEqual([looks[0].value, looks[2].value], [1, 1])
    watches[1] = nil
    let known = looks[1].value
    try write(paths[1])
    try write(paths[2])
    try await wait(for: looks[2], beyond: 1)
    XCTAssertEqual(looks[1].value, known)
    XCTAssertEqual(looks[0].value, 1)
    watches = []
  }

  func testTheThreadEndsWithTheLastWatchAndBeginsAgain() async throws {
    let path = makeFile("file")
    let isUsedElsewhere = FileWatchThread.isRunning
    for _ in 0..<20 {
      let looks = Looks()
      let watch = FileWatch(path) {
        looks.look()
        return .found
      }
      try await wait(for: looks, beyond: 0)
      try write(path)
      try await wait(for: looks, beyond: 1)
      _ = consume watch
    }
    XCTAssertEqual(FileWatchThread.isRunning, isUsedElsewhere)
  }

  func testAHundredFilesHaveOneQueue() async throws {
    let paths = (0..<100).map { makeFile("\($0)") }
    let looks = paths.map { _ in Looks() }
    let watches = zip(paths, looks).map { path, looks in
      FileWatch(path) {
        looks.look()
        return .found
      }
    }
    for looks in looks { try await wait(for: looks, beyond: 0) }
    for path in paths { try write(path) }
    for looks in looks { try await wait(for: looks, beyond: 1) }
    #if os(Linux)
    // A user has 128 of these by default.
    let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
    let queues = open.count { name in
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + name)) == "anon_inode:inotify"
    }
    XCTAssertEqual(queues, 1)
    #endif
    withExtendedLifetime(watches) {}
  }

  private final class Holder: Sendable {
    private let watch = Mutex<FileWatch?>(nil)
    func hold(_ watch: FileWatch?) { self.watch.withLock { $0 = watch } }
  }

  func testAWatchThatIsLetGoInItsLookIsNoDeadlock() async throws {
    let path = makeFile("file")
    let (holder, looks) = (Holder(), Looks())
    holder.hold(
      FileWatch(path) {
        looks.look()
        if looks.value > 1 { holder.hold(nil) }
        return .nothing
      })
    try write(path)
    try await wait(for: looks, beyond: 1)
  }
}
