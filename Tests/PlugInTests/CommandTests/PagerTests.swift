import Foundation
import RepriseCore
import Songs
import XCTest

/// A long output runs off the screen.
@MainActor
final class PagerTests: XCTestCase {
  private var songs: SongStore!

  override func setUp() async throws { songs = try await SongStore() }

  override func tearDown() async throws { try await songs.remove() }

  func testALongOutputHasNoPager() async throws {
    let song = try RootContext(songs.store).fetch(Fetch<Song>())[0].id.any.description
    let pager = ["PAGER": "sed 's/^/paged: /'"]
    for arguments in [
      ["show", songs.path, song], ["blame", songs.path, song], ["history", songs.path, song], ["log", songs.path],
      ["diff", songs.path, "@1"], ["query", songs.path, "Song"],
    ] {
      let paged = try TerminalProcess(arguments, environment: pager)
      XCTAssertEqual(paged.end(), 0)
      XCTAssertTrue(paged.text.hasPrefix("paged: "), paged.text)
      let plain = try TerminalProcess(arguments + ["--no-pager"], environment: pager)
      XCTAssertEqual(plain.end(), 0)
      XCTAssertFalse(plain.text.contains("paged: "), plain.text)
    }
  }
}
