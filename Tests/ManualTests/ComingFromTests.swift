#if Macros
import Reprise
import RepriseTesting
import XCTest

@Model final class Song {
  @Attribute(.indexed) var title: String
  var plays: Int = 0
  init(title: String) { self.title = title }
}

@MainActor func play(_ title: String, in store: Store) async throws {
  let context = store.mainContext
  let song = try context.first(Fetch<Song> { $0.title == title }) ?? context.insert(Song(title: title))
  song.plays += 1
  try await context.save("Play \(title)")
  let top = Fetch<Song>().sorted { $0.plays.descending }.limit(3)
  for song in try context.fetch(top) { print(song.title, song.plays) }
}

final class ComingFromTests: XCTestCase {
  @MainActor func testProgramCountsPlaysOfSongs() async throws {
    let temporary = try await TemporaryStore(for: Song.self)
    for title in ["Blue", "River", "Blue"] { try await play(title, in: temporary.store) }
    let songs = try temporary.store.mainContext.fetch(Fetch<Song>().sorted { $0.title })
    XCTAssertEqual(songs.map(\.plays), [2, 1])
  }
}
#endif
