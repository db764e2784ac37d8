import Foundation
import RepriseCore
import RepriseTestModels
import RepriseTesting
import XCTest

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A note of a launch, or a preview, that somebody else may have written is not believed.
@MainActor final class PrivateNoteTests: XCTestCase {
  private func leave() async throws -> TemporaryStore {
    let temporary = try await TemporaryStore(for: Item.self, Person.self)
    let run = Restoration(temporary.store)
    try run.definePlain()
    try await run.restore()
    try run.openPlain("list")
    try await run.keepPreview([1, 2, 3])
    return temporary
  }

  private func files(_ store: Store) throws -> [String] {
    let folder = store.path + "/journals/"
    return try FileManager.default.contentsOfDirectory(atPath: folder)
      .filter { $0.hasPrefix("launches-") || $0.hasSuffix(".preview") }.map { folder + $0 }
  }

  /// - Parameter spoil: Does something to a file of the next launch, before it is read.
  private func expectRefused(_ what: String, _ spoil: (String) throws -> Void) async throws {
    let temporary = try await leave()
    let store = try await temporary.relaunch()
    let spoiled = try files(store)
    XCTAssertEqual(spoiled.count, 2, "the note and the preview")
    for file in spoiled { try spoil(file) }
    XCTAssertNil(Restoration.preview(at: store.path), what)
    let run = Restoration(store)
    try run.definePlain()
    let report = try await run.restore()
    XCTAssertEqual(report.lastExit, .unknown, what)
    XCTAssertEqual(report.outcome("list"), .restored, what)
    XCTAssertEqual(
      report.damage,
      [
        "A file of the store records how earlier launches of the scene ended. The library replaces this file without "
          + "reading it, because another user owns or can write it. Let only the program's user write the store's "
          + "folder."
      ], what)
    // From here on there are files of its own.
    try await run.keepPreview([4, 5])
    XCTAssertEqual(Restoration.preview(at: store.path)?.bytes, [4, 5], what)
    let next = try await temporary.relaunch()
    let again = Restoration(next)
    try again.definePlain()
    let second = try await again.restore()
    XCTAssertEqual(second.damage, [], what)
    XCTAssertEqual(second.lastExit, .crashed, what)
  }

  func testANoteThatOthersMayWriteIsRefusedWithAReasonAndReplaced() async throws {
    try await expectRefused("writable by others") { XCTAssertEqual(chmod($0, 0o622), 0) }
  }

  func testANoteOfAnotherUserIsRefusedWithAReasonAndReplaced() async throws {
    try XCTSkipIf(geteuid() != 0, "only root gives files to others")
    try await expectRefused("another user's") { XCTAssertEqual(chown($0, 12_345, 12_345), 0) }
  }

  func testALinkInTheNotesPlaceIsRefusedAndWhatItLeadsToIsLeftAlone() async throws {
    let elsewhere = NSTemporaryDirectory() + "reprise-elsewhere-\(UUID().uuidString)"
    try Data("precious".utf8).write(to: URL(fileURLWithPath: elsewhere))
    defer { try? FileManager.default.removeItem(atPath: elsewhere) }
    try await expectRefused("a link") { file in
      try FileManager.default.removeItem(atPath: file)
      try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: elsewhere)
    }
    XCTAssertEqual(try String(contentsOfFile: elsewhere, encoding: .utf8), "precious")
  }
}
