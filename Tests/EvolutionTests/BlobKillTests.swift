import Foundation
import RepriseCore
import RepriseEventStore
import RepriseObjectModel
import RepriseTestModels
import RepriseTestProcesses
import RepriseTestSeeds
import XCTest

/// `kill -9` while large values are brought into a store that another process has open.
final class BlobKillTests: XCTestCase {
  private let path = FileManager.default.temporaryDirectory.path + "/reprise-\(UUID().uuidString)"
  override func tearDown() { try? FileManager.default.removeItem(atPath: path) }

  /// Bytes that tell their number, and differ everywhere.
  private static func bytes(_ number: Int) -> [UInt8] {
    var random = SeededGenerator(seed: UInt64(number))
    return (0..<(200_000 + number % 7 * 500_000)).map { _ in UInt8.random(in: 0...255, using: &random) }
  }

  func testUploadsAsAChild() async throws {
    let environment = ProcessInfo.processInfo.environment
    guard let path = environment["REPRISE_BLOBS"], let first = environment["REPRISE_FIRST"].flatMap(Int.init) else {
      throw XCTSkip("for a process that is killed")
    }
    let store = try await Store.open(path, for: Photo.self)
    let context = RootContext(store, isolation: nil)
    ChildProcess.say("open")
    for number in first... {
      let blob = try await Blob(Self.bytes(number), in: store)
      // Some are never referred to.
      if number % 3 == 0 { continue }
      context.insert(Photo(name: "\(number)", original: blob))
      try await context.save()
    }
  }

  func testAKillBetweenSlicesLeavesNoPartOfABlobAndNothingBehind() async throws {
    #if os(Linux)
    var random = SeededGenerator(seed: testSeed())
    let store = try await Store.open(path, for: Photo.self)
    var longest = 0
    for kill in 0..<8 {
      let child = try ChildProcess(
        test: "RepriseEvolutionTests.BlobKillTests/testUploadsAsAChild",
        ["REPRISE_BLOBS": path, "REPRISE_FIRST": "\(1 + kill * 1_000)"])
      guard child.wait(for: "open") != nil else { return XCTFail("the child could not open the store") }
      try await Task.sleep(nanoseconds: UInt64.random(in: 0...1_500_000_000, using: &random))
      child.kill()
      let report = try await StoreMaintenance.verify(store)
      XCTAssertEqual(report.problems, [])
      let photos = try RootContext(store).fetch(Fetch<Photo>())
      longest = max(longest, photos.count)
    }
    XCTAssertGreaterThan(longest, 0, "no child came to a save")
    try await store.close()
    let again = try Store.openNow(path, for: Schema(Photo.self), StoreOptions(cleaningDelay: 0))
    try? await again.cleaning.wait()
    for photo in try RootContext(again).fetch(Fetch<Photo>()) {
      let found = try await photo.original.bytes(in: again)
      XCTAssertTrue(found == Self.bytes(try XCTUnwrap(Int(photo.name))), photo.name)
    }
    // What is left is what the objects have, to the last chunk.
    let report = try await StoreMaintenance.verify(again)
    XCTAssertEqual(report.problems, [])
    XCTAssertEqual(report.blobs, report.objects)
    XCTAssertTrue(try again.cleaning.isClean(again))
    try await again.close()
    #endif
  }
}

extension StoreOptions {
  fileprivate init(cleaningDelay: UInt64) {
    self.init()
    self.cleaningDelay = cleaningDelay
  }
}
