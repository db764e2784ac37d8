import RepriseCore
import RepriseEventStore
import RepriseObjectModel
import XCTest

/// The pairs of a many-to-many lead to what becomes of an object that moves. Links are named after the lesser end,
/// `Album.songs`.
final class MovedPairTests: XCTestCase {
  private let test = ShapedStore()

  /// Three albums, the second of them with two songs and the third with one of these.
  private func fill() async throws {
    let album = ShapeA.named(
      "Album", .attribute("title", String.self), .toMany("songs", ShapeB.self, inverse: "albums"))
    let song = ShapeB.named("Song", .attribute("title", String.self), .toMany("albums", ShapeA.self))
    let store = try await test.open(album, song)
    let context = RootContext(store)
    let albums = ["a", "b", "c"].map { context.insert(ShapeA(["title": $0])) }
    let songs = ["x", "y"].map { context.insert(ShapeB(["title": $0])) }
    for song in songs { albums[1].add(song, to: "songs") }
    albums[2].add(songs[0], to: "songs")
    try await context.save()
    try await store.close()
  }

  private func expectPairs(_ store: Store, _ name: String, line: UInt = #line) async throws {
    let context = RootContext(store)
    var titles: [PropertyValue: Set<PropertyValue>] = [:]
    for album in try context.fetch(Fetch<ShapeC>()) {
      let songs = try album.memberIDs(name).map { try context.object(ShapeD.ID(uuid: $0))["title"] }
      titles[album["title"]] = Set(songs)
    }
    XCTAssertEqual(
      titles, [.string("a"): [], .string("b"): [.string("x"), .string("y")], .string("c"): [.string("x")]],
      line: line)
    XCTAssertEqual(store.warnings, [], line: line)
    try await assertSound(store, line: line)
    try await store.close()
  }

  func testPairsFollowAMoveOfTheirOtherEnd() async throws {
    try await fill()
    let album = ShapeC.named(
      "Album", .attribute("title", String.self), .toMany("songs", ShapeD.self, inverse: "albums"))
    let track = ShapeD.named("Track", .attribute("title", String.self), .toMany("albums", ShapeC.self))
    let plan = [Migration(to: 1, "Tracks", mapping: [.move("Song", to: "Track")])]
    try await expectPairs(try await test.open([album, track], plan), "songs")
    try await StoreMaintenance.rebuild(test.path)
    try await expectPairs(try await test.open([album, track], plan), "songs")
  }

  func testPairsThatWereRenamedFollowAMove() async throws {
    try await fill()
    let record = ShapeC.named(
      "Record", .attribute("title", String.self), .toMany("tracks", ShapeD.self, inverse: "albums"))
    let song = ShapeD.named("Song", .attribute("title", String.self), .toMany("albums", ShapeC.self))
    let plan = [
      Migration(
        to: 1, "Records", renaming: [.property("songs", of: "Album", to: "tracks")],
        mapping: [.move("Album", to: "Record")])
    ]
    try await expectPairs(try await test.open([record, song], plan), "tracks")
  }
}
