import Foundation
import LinesPlugIn
import RepriseCore
import RepriseSharing
import RepriseTesting
import Songs
import XCTest

/// An adapter of somebody else, made with public products only, is no shared log.
final class FolderLogTests: XCTestCase {
  private let folder = NSTemporaryDirectory() + "reprise-folder-log-\(UUID().uuidString)"

  override func setUp() async throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  override func tearDown() async throws { try FileManager.default.removeItem(atPath: folder) }

  func testAnotherAdapterKeepsAllPromises() async throws {
    let folder = folder
    try await LogTransportConformance { FolderLog(folder + "/log") }.run()
  }

  func testStoresShareAGraphOverAnotherAdapter() async throws {
    func open(_ name: String) async throws -> Store {
      try await Store.open("\(folder)/\(name)", for: Song.self, sharing: SharedLog(FolderLog(folder + "/log")))
    }
    let one = try await open("one")
    _ = try await one.write { context in _ = context.insert(Song(title: "So What")) }
    try await StoreMaintenance.makeSeed(of: one, at: folder + "/two")
    let two = try await open("two")
    _ = try await two.write { context in _ = context.insert(Song(title: "Blue in Green")) }
    while try one.log.head < two.log.head { try await Task.sleep(for: .milliseconds(5)) }
    let titles = try await one.read { try $0.fetch(Fetch<Song>()).map(\.title) }
    XCTAssertEqual(titles.sorted(), ["Blue in Green", "So What"])
    try await one.close()
    try await two.close()
  }
}
