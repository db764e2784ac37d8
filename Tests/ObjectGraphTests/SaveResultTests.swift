import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

/// A save tells what it did, and nothing of what others did.
final class SaveResultTests: XCTestCase {
  private var test: TestStore!

  override func setUpWithError() throws { test = try TestStore(Schema(Album.self, Song.self, Playlist.self)) }

  // Test cases live as long as the process, and each store takes address space.
  override func tearDown() { test = nil }

  func testAnEmptyWriteAfterAnothersSaveIsNotTakenForThatOne() async throws {
    let other = RootContext(test.store)
    let album = other.insert(Album("A"))
    let theirs = try await other.saveChanges("Theirs")
    XCTAssertEqual(theirs.changes.inserted, [album.id.any])
    XCTAssertFalse(theirs.isEmpty)

    let nothing = try await test.store.write { context in try context.count(Fetch<Album>()) }
    XCTAssertEqual(nothing.result, 1)
    XCTAssertEqual(nothing.position, theirs.position)
    XCTAssertTrue(nothing.saved.isEmpty)
    XCTAssertTrue(nothing.saved.changes.isEmpty)
    XCTAssertNotEqual(nothing.saved, theirs)

    let something = try await test.store.write { context in context.insert(Song("a")).id }
    XCTAssertFalse(something.saved.isEmpty)
    XCTAssertEqual(something.position, theirs.position + 1)
    XCTAssertEqual(something.saved.changes.inserted, [something.result.any])
    XCTAssertEqual(try test.store.log.transaction(at: something.position)?.inserted, [something.result.any])
  }

  func testWhatOthersSavedAlreadyIsNothingToWrite() async throws {
    let (one, other) = (RootContext(test.store), RootContext(test.store))
    let album = one.insert(Album("A"))
    try await one.save()
    try other.refresh()
    album.title = "B"
    try other.object(album.id).title = "B"
    let first = try await one.saveChanges()
    let second = try await other.saveChanges()
    XCTAssertEqual(first.changes.updated, [album.id.any])
    XCTAssertTrue(second.isEmpty)
    XCTAssertEqual(second.position, first.position)
  }

  func testConsequencesAndPairsAreAmongTheChangesOfASave() async throws {
    let context = RootContext(test.store)
    let album = context.insert(Album("A"))
    let songs = "ab".map { context.insert(Song(String($0))) }
    album.songs.append(contentsOf: songs)
    let playlist = context.insert(Playlist())
    playlist.songs = OrderedToMany(songs)
    let inserted = try await context.saveChanges()
    XCTAssertEqual(inserted.changes.inserted, ([album.id.any, playlist.id.any] + songs.map(\.id.any)).sorted())
    XCTAssertEqual(inserted.changes.updated, [])
    playlist.songs.move(from: 1, to: 0)
    let moved = try await context.saveChanges()
    XCTAssertEqual(moved.changes.updated, [playlist.id.any], "links are nobody's objects")
    context.delete(album)
    let pending = context.changes
    let deleted = try await context.saveChanges()
    XCTAssertEqual(deleted.changes, pending)
    XCTAssertEqual(deleted.changes.deleted, [album.id.any])
    XCTAssertEqual(deleted.changes.updated, songs.map(\.id.any))
  }

  func testUndoneSavesAreToldTogether() async throws {
    let context = RootContext(test.store, author: "ada")
    context.undoesSaves = true
    let album = context.insert(Album("A"))
    try await context.save()
    album.title = "B"
    try await context.save()
    context.undo()
    context.undo()
    let song = context.insert(Song("a"))
    let head = test.store.log.head
    let saved = try await context.saveChanges()
    XCTAssertEqual(saved.position, head + 3)
    XCTAssertEqual(saved.changes.deleted, [album.id.any])
    XCTAssertEqual(saved.changes.updated, [])
    XCTAssertEqual(saved.changes.inserted, [song.id.any])
  }

  func testTheAuthorOfASaveMayBeAnother() async throws {
    let context = RootContext(test.store, author: "ada")
    context.insert(Album("A"))
    let own = try await context.saveChanges("One")
    context.insert(Album("B"))
    let other = try await context.saveChanges("Two", by: "grace")
    XCTAssertEqual(try test.store.log.transaction(at: own.position)?.author, "ada")
    XCTAssertEqual(try test.store.log.transaction(at: other.position)?.author, "grace")
  }
}
