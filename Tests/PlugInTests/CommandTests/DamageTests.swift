import Foundation
import Inspected
import RepriseCore
import Songs
import XCTest

/// A damaged store ends the command without a next step, or the step that it names does not help.
@MainActor
final class DamageTests: XCTestCase {
  private var songs: SongStore!
  private let folder = NSTemporaryDirectory() + "reprise-damage-\(UUID().uuidString)"
  private var copy: String { folder + "/copy" }

  override func setUp() async throws {
    songs = try await SongStore()
    // No other bytes of the store are equal to this title.
    try await songs.rename(to: "Flugelhorn-Concerto")
    try await songs.store.close()
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  override func tearDown() async throws {
    try FileManager.default.removeItem(atPath: folder)
    try await songs.remove()
  }

  /// The places of the title in the file: in an object, in an index, in the log, and in pages that LMDB has freed.
  private func places() throws -> [Int] {
    let bytes = try Data(contentsOf: URL(fileURLWithPath: songs.path + "/data.mdb"))
    var (places, start) = ([Int](), bytes.startIndex)
    while let found = bytes.range(of: Data("Flugelhorn".utf8), in: start..<bytes.endIndex) {
      places.append(found.lowerBound)
      start = found.upperBound
    }
    return places
  }

  /// Copies the store, with other bytes at a place.
  private func damage(at place: Int) throws {
    try? FileManager.default.removeItem(atPath: copy)
    try FileManager.default.copyItem(atPath: songs.path, toPath: copy)
    let file = try XCTUnwrap(FileHandle(forUpdatingAtPath: copy + "/data.mdb"))
    try file.seek(toOffset: UInt64(place))
    try file.write(contentsOf: Data("Xlugelhorn".utf8))
    try file.close()
  }

  func testTheNamedCommandRepairsNothing() async throws {
    var (rebuilt, salvaged) = (0, 0)
    for place in try places() {
      try damage(at: place)
      let verified = try Command.run(["verify", copy])
      for arguments in [
        ["info", copy], ["log", copy, "--patch"], ["query", copy, "Song"], ["export", copy], ["check", copy],
        ["query", copy, "Song where title == \"Flugelhorn-Concerto\""], ["blame", copy, "Song/x"],
      ] {
        let result = try Command.run(arguments)
        XCTAssertTrue((0...2).contains(result.status), "\(arguments): \(result.status)")
        XCTAssertFalse((result.output + result.errors).contains("StoreMaintenance"), result.output + result.errors)
      }
      if verified.status == 0 { continue }
      XCTAssertEqual(verified.status, 2, verified.errors)
      if verified.output.contains("'reprise rebuild'") {
        rebuilt += 1
        let result = try Command.run(["rebuild", copy])
        XCTAssertEqual(result.status, 0, result.errors)
        XCTAssertEqual(try Command.run(["verify", copy]).status, 0)
        XCTAssertTrue(try Command.run(["query", copy, "Song"]).output.contains("Flugelhorn-Concerto"))
      } else {
        salvaged += 1
        XCTAssertTrue(verified.output.contains("'reprise salvage'"), verified.output)
        let new = "\(folder)/salvaged-\(place)"
        let result = try Command.run(["salvage", copy, new])
        XCTAssertTrue([0, 2].contains(result.status), result.errors)
        XCTAssertEqual(try Command.run(["verify", new]).status, 0)
        XCTAssertEqual(try Command.run(["query", new, "Song", "--count"]).output, "1\n")
      }
    }
    XCTAssertGreaterThan(rebuilt, 0)
    XCTAssertGreaterThan(salvaged, 0)
  }

  func testAFileThatIsNoStoreIsOpened() async throws {
    let text = folder + "/text"
    try "Not a store".write(toFile: text, atomically: true, encoding: .utf8)
    let empty = folder + "/empty"
    try FileManager.default.createDirectory(atPath: empty, withIntermediateDirectories: true)
    let zero = folder + "/zero"
    try FileManager.default.createDirectory(atPath: zero, withIntermediateDirectories: true)
    try Data().write(to: URL(fileURLWithPath: zero + "/data.mdb"))
    let short = folder + "/short"
    try FileManager.default.copyItem(atPath: songs.path, toPath: short)
    truncate(short + "/data.mdb", 5 * 4_096)
    for (store, message) in [
      (text, "\(text) is not a directory, but a store is a directory. Choose another path."),
      (empty, "\(empty) is not a Reprise store"), (zero, "\(zero)/data.mdb has 0 bytes, but its pages need"),
      (folder + "/none", "There is no store at \(folder)/none. Check the path."),
      (short, "Restore it from a backup, or let 'reprise salvage' make a new store of the rest."),
    ] {
      for command in ["info", "log", "inspect", "verify", "export", "drafts"] {
        let result = try Command.run([command, store])
        XCTAssertEqual(result.status, 1, "\(command) \(store): \(result.output)")
        XCTAssertTrue(result.errors.contains(message), "\(command): \(result.errors)")
      }
    }
    XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: empty), [], "reading made files")
  }
}
