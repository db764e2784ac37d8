import RepriseEventStore
import RepriseLMDB
import RepriseObjectModel
import RepriseTestModels
import XCTest

@testable import RepriseObjectGraph

/// Relationships whose index or links are damaged.
final class DamagedMembersTests: XCTestCase {
  private var test: TestStore!

  override func setUpWithError() throws { test = try TestStore(Schema(Album.self, Song.self, Playlist.self)) }
  override func tearDown() { test = nil }

  private func songs(_ context: RootContext) -> [Song] { "abcde".map { context.insert(Song(String($0))) } }

  /// A playlist of five songs, of which the link to the third is damaged, in a new context.
  ///
  /// - Parameter record: What the table has of the link. `nil` for nothing.
  private func damagedPlaylist(
    _ record: [UInt8]? = [1, 2, 3]
  ) async throws -> (context: RootContext, playlist: Playlist, hidden: Song) {
    let writer = RootContext(test.store)
    let playlist = writer.insert(Playlist())
    let songs = songs(writer)
    playlist.songs = OrderedToMany(songs)
    try await writer.save()
    let end = try XCTUnwrap(test.store.map.schema.relationship(0, of: Playlist.entity))
    let links = try XCTUnwrap(test.store.map.map(end.target.interned))
    try test.store.damageRecords([end.link(playlist.id.uuid, songs[2].id.uuid).id], links, with: record)
    let context = RootContext(test.store)
    return (context, try context.object(playlist.id), try context.object(songs[2].id))
  }

  func testEachPositionOfAnOrderWithADamagedLinkHasAnObject() async throws {
    let (context, playlist, _) = try await damagedPlaylist()
    XCTAssertEqual(playlist.songs.count, 5)
    XCTAssertEqual(playlist.songs.map(\.name), ["a", "b", "", "d", "e"])
    XCTAssertEqual(Array(playlist.songs).count, 5)
    XCTAssertEqual(playlist.songs.map(\.state), [.live, .live, .unreadable, .live, .live])
    let placeholder = playlist.songs[2]
    XCTAssertTrue(playlist.songs[2] === placeholder)
    XCTAssertTrue(Array(playlist.songs)[2] === placeholder)
    guard case .damaged? = context.readErrors[placeholder.id.any] else { return XCTFail("\(context.readErrors)") }
    try context.refresh()
    XCTAssertEqual(placeholder.state, .deleted)
    XCTAssertTrue(playlist.songs[2] === placeholder)
    XCTAssertEqual(placeholder.state, .unreadable)
  }

  func testALinkThatIsMissingIsNamed() async throws {
    let (context, playlist, hidden) = try await damagedPlaylist(nil)
    let placeholder = playlist.songs[2]
    XCTAssertEqual(placeholder.state, .unreadable)
    let end = try XCTUnwrap(test.store.map.schema.relationship(0, of: Playlist.entity))
    let link = end.link(playlist.id.uuid, hidden.id.uuid).id
    guard case .damaged(test.path, let reason)? = context.readErrors[placeholder.id.any] else {
      return XCTFail("\(context.readErrors)")
    }
    XCTAssertEqual(reason, "an index refers to the object \(link), which the store does not have")
  }

  func testAnUnorderedRelationshipHasAsManyMembersAsItCounts() async throws {
    let (_, playlist, hidden) = try await damagedPlaylist()
    XCTAssertEqual(hidden.playlists.count, 1)
    XCTAssertEqual(hidden.playlists.map(\.state), [.unreadable])
    XCTAssertEqual(hidden.playlists.first?.state, .unreadable)
    XCTAssertEqual(playlist.songs[0].playlists.map(\.state), [.live])
  }

  func testAPlaceholderIgnoresEditsAndIsNotRelated() async throws {
    let (context, playlist, _) = try await damagedPlaylist()
    let placeholder = playlist.songs[2]
    placeholder.name = "typed"
    placeholder.album = context.insert(Album("A"))
    context.undo()
    let other = context.insert(Playlist())
    other.songs.append(placeholder)
    context.undo()
    playlist.songs.move(from: 2, to: 0)
    playlist.songs.move(fromOffsets: [2], toOffset: 0)
    context.delete(placeholder)
    XCTAssertTrue(context.changes.isEmpty, "\(context.changes)")
    XCTAssertEqual(playlist.songs.count, 5)
    playlist.songs.append(context.insert(Song("f")))
    do {
      try await context.save()
      XCTFail("saved")
    } catch {
      guard case SaveError.unreadable = error else { return XCTFail("\(error)") }
    }
    try context.refresh()
    try await context.save()
    XCTAssertEqual(try RootContext(test.store).object(playlist.id).songs.map(\.name), ["a", "b", "", "d", "e", "f"])
  }

  /// Removes the first member until there is none, and expects a save to be refused.
  private func empty(
    _ context: RootContext, _ count: () -> Int, line: UInt = #line, _ removeFirst: () -> Void
  ) async throws {
    let before = count()
    for _ in 0..<2 * before where count() > 0 { removeFirst() }
    XCTAssertEqual(count(), 0, line: line)
    do {
      try await context.save()
      XCTFail("saved", line: line)
    } catch {
      guard case SaveError.unreadable = error else { return XCTFail("\(error)", line: line) }
    }
  }

  func testAnOrderWithADamagedLinkCanBeEmptied() async throws {
    let (context, playlist, hidden) = try await damagedPlaylist()
    try await empty(context, { playlist.songs.count }) { playlist.songs.remove(at: 0) }
    XCTAssertTrue(Array(playlist.songs).isEmpty)
    context.discard()
    XCTAssertEqual(playlist.songs.count, 5)
    playlist.songs.remove(hidden)
    XCTAssertEqual(playlist.songs.map(\.name), ["a", "b", "d", "e"])
    try await empty(context, { hidden.playlists.count }) { hidden.playlists.first.map { hidden.playlists.remove($0) } }
    context.discard()
    try context.refresh()
    playlist.songs[0].name = "of a sound member"
    try await context.save()
    XCTAssertEqual(playlist.songs.count, 5)
  }

  func testAnUnorderedRelationshipWithADamagedLinkCanBeEmptied() async throws {
    let (context, _, hidden) = try await damagedPlaylist()
    try await empty(context, { hidden.playlists.count }) { hidden.playlists.first.map { hidden.playlists.remove($0) } }
    try context.refresh()
    XCTAssertEqual(hidden.playlists.count, 1)
  }

  func testAnOrderWithADamagedMemberCanBeEmptied() async throws {
    let writer = RootContext(test.store)
    let album = writer.insert(Album("A"))
    let songs = songs(writer)
    album.songs = OrderedToMany(songs)
    try await writer.save()
    try test.store.damageRecords([songs[1].id.any], try XCTUnwrap(test.store.map.map(Song.entity.interned)))
    let context = RootContext(test.store)
    let members = try context.object(album.id).songs
    try await empty(context, { members.count }) { members.remove(at: 0) }
    try context.refresh()
    XCTAssertEqual(members.map(\.state), [.unreadable])
  }

  func testAnOrderWithARowThatNoCountHasCanBeEmptied() async throws {
    let album = try await albumWithAStrayRow()
    let context = RootContext(test.store)
    let songs = try context.object(album).songs
    try await empty(context, { songs.count }) { songs.remove(at: 0) }
  }

  /// An album of five songs, in whose order is a row that leads to none.
  private func albumWithAStrayRow() async throws -> ObjectID<Album> {
    let writer = RootContext(test.store)
    let album = writer.insert(Album("A"))
    album.songs = OrderedToMany(songs(writer))
    try await writer.save()
    let end = try XCTUnwrap(test.store.map.schema.relationship(1, of: Album.entity))
    let slot = try XCTUnwrap(end.places?.index)
    let number = try XCTUnwrap(test.store.map.map(Song.entity.interned)?.indexes[slot])
    var key = withUnsafeBytes(of: number.bigEndian) { [UInt8]($0) } + [0]
    key += OrderKey.bytes(of: .reference(album.id.any)) + [UInt8](repeating: 0xFE, count: 20)
    try test.store.changeIndexes { (transaction, table) throws(StorageError) in
      try transaction.put(table, key: key.span.bytes, value: [UInt8]().span.bytes)
    }
    return album.id
  }

  func testAnOrderWithARowThatNoCountHasDoesNotTrap() async throws {
    let album = try await albumWithAStrayRow()
    let songs = try RootContext(test.store).object(album).songs
    XCTAssertEqual(songs.count, 6)
    XCTAssertEqual(songs.map(\.name), ["a", "b", "c", "d", "e", ""])
    XCTAssertEqual(Array(songs).count, 6)
    XCTAssertEqual(songs[5].state, .unreadable)
  }
}
