import RepriseLMDB
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import RepriseTestSeeds
import XCTest

@testable import RepriseEventStore
@testable import RepriseObjectGraph

final class OrderedToManyTests: XCTestCase {
  private var test: TestStore!

  override func setUpWithError() throws { test = try TestStore(Schema(Album.self, Song.self, Playlist.self)) }

  // Test cases live as long as the process, and each store takes address space.
  override func tearDown() { test = nil }

  private func saved(_ context: RootContext) async throws {
    try await context.save()
    let report = try await StoreMaintenance.verify(test.store)
    XCTAssertTrue(report.isSound, "\(report)")
  }

  private func album(_ context: RootContext, _ names: String) -> (Album, [Song]) {
    let album = context.insert(Album("A"))
    let songs = names.map { context.insert(Song(String($0))) }
    album.songs.append(contentsOf: songs)
    return (album, songs)
  }

  private func text(_ songs: OrderedToMany<Song>) -> String { songs.map(\.name).joined() }

  /// As with a to-many without an order.
  func testInsertionsIntoADeletedOwnerAreConflicts() async throws {
    let insertions: [(Album, Song) -> Void] = [
      { $0.songs.append($1) }, { $0.songs.insert($1, at: 0) },
      { $0.songs.insert(contentsOf: [Song("new"), $1], at: 0) }, { $1.album = $0 },
    ]
    for insert in insertions {
      let context = RootContext(test.store)
      let (album, songs) = album(context, "ab")
      let loose = context.insert(Song("c"))
      try await context.save()
      let id = album.id
      try await test.store.write { other in other.delete(try other.object(id)) }
      try context.refresh()
      insert(album, loose)
      XCTAssertFalse(try context.conflicts().isEmpty)
      do {
        try await context.save()
        XCTFail("saved")
      } catch SaveError.refused(let refusal) {
        XCTAssertFalse(refusal.conflicts.isEmpty)
      }
      context.discard()
      XCTAssertNil(loose.album)
      _ = songs
    }
  }

  func testMembersStandWhereTheyArePut() async throws {
    let context = RootContext(test.store)
    let (album, songs) = album(context, "abcd")
    XCTAssertEqual(text(album.songs), "abcd")
    album.songs.insert(songs[3], at: 0)
    XCTAssertEqual(text(album.songs), "dabc")
    album.songs.move(from: 0, to: 2)
    XCTAssertEqual(text(album.songs), "abdc")
    try await saved(context)
    XCTAssertEqual(text(album.songs), "abdc")
    album.songs.move(fromOffsets: [0, 3], toOffset: 2)
    XCTAssertEqual(text(album.songs), "bacd")
    album.songs.insert(contentsOf: [Song("x"), Song("y")], at: 1)
    XCTAssertEqual(text(album.songs), "bxyacd")
    XCTAssertEqual(album.songs.remove(at: 0)?.name, "b")
    XCTAssertEqual(album.songs.firstIndex(of: songs[0]), 2)
    XCTAssertNil(album.songs.firstIndex(of: songs[1]))
    XCTAssertEqual(album.songs[2].name, "a")
    XCTAssertEqual(album.songs.last?.name, "d")
    XCTAssertEqual(album.songs.count, 5)
    XCTAssertTrue(album.songs.contains(songs[0]))
    try await saved(context)
    XCTAssertEqual(text(try RootContext(test.store).object(album.id).songs), "xyacd")
    songs[1].album = album
    XCTAssertEqual(text(album.songs), "xyacdb")
    context.undo()
    XCTAssertEqual(text(album.songs), "xyacd")
    album.songs = [songs[3], songs[0], songs[2]]
    XCTAssertEqual(text(album.songs), "dac")
    context.undo()
    XCTAssertEqual(text(album.songs), "xyacd")
  }

  func testDetachedMembersKeepTheirOrder() async throws {
    let context = RootContext(test.store)
    let album = Album("A")
    let songs = "abc".map { Song(String($0)) }
    album.songs = [songs[1], songs[0]]
    album.songs.insert(songs[2], at: 1)
    XCTAssertEqual(text(album.songs), "bca")
    let playlist = Playlist()
    playlist.songs = [songs[2], songs[1], songs[0]]
    album.songs.move(from: 2, to: 0)
    XCTAssertEqual(text(album.songs), "abc")
    context.insert(album)
    XCTAssertEqual(text(album.songs), "abc")
    XCTAssertEqual(text(playlist.songs), "cba")
    try await saved(context)
    XCTAssertEqual(text(try RootContext(test.store).object(playlist.id).songs), "cba")
  }

  func testADetachedMemberIsPutBeforeTheOneAtAPosition() {
    let album = Album("A")
    let songs = "abc".map { Song(String($0)) }
    album.songs = OrderedToMany(songs)
    album.songs.move(from: 0, to: 1)
    XCTAssertEqual(text(album.songs), "bac")
    album.songs.insert(songs[1], at: 3)
    XCTAssertEqual(text(album.songs), "acb")
    album.songs.insert(songs[0], at: 4)
    XCTAssertEqual(text(album.songs), "cba")
    album.songs.insert(songs[0], at: 2)
    XCTAssertEqual(text(album.songs), "cba")
    album.songs.remove(songs[2])
    album.songs.insert(Song("x"), at: 1)
    album.songs.insert(contentsOf: [Song("y"), Song("z")], at: 0)
    XCTAssertEqual(text(album.songs), "yzbxa")
  }

  func testAListToAssignIsChangedLikeARelationship() {
    let songs = "abcd".map { Song(String($0)) }
    let list = OrderedToMany(songs[..<3])
    list.append(songs[3])
    list.append(songs[0])
    XCTAssertEqual(text(list), "abcd")
    list.insert(songs[0], at: 2)
    XCTAssertEqual(text(list), "bacd")
    list.move(from: 0, to: .max)
    XCTAssertEqual(text(list), "acdb")
    list.move(fromOffsets: [1, 3], toOffset: 0)
    XCTAssertEqual(text(list), "cbad")
    list.insert(contentsOf: [songs[3], songs[0]], at: 1)
    XCTAssertEqual(text(list), "cdab")
    list.remove(songs[3])
    list.insert(songs[3], at: -1)
    XCTAssertTrue(list.remove(at: 1) === songs[2])
    XCTAssertEqual(text(list), "dab")
    XCTAssertEqual(list.firstIndex(of: songs[1]), 2)
    XCTAssertFalse(list.contains(songs[2]))
    let album = Album("A")
    album.songs = list
    list.removeAll()
    XCTAssertEqual(text(list), "")
    XCTAssertEqual(text(album.songs), "dab", "it has been assigned")
  }

  /// Its links have the lists as members: "Cut" is the lesser name.
  private final class Tracklist: TestModel {
    static let entity = Entity(
      Tracklist.self, name: "Tracklist",
      properties: [
        .toMany("cuts", Cut.self, inverse: "lists", isOrdered: true),
        .toMany("lines", Cut.self, inverse: "rows", isOrdered: true),
      ])
    let _storage: ObjectStorage
    init(_storage: ObjectStorage) { self._storage = _storage }
    var cuts: OrderedToMany<Cut> {
      get { OrderedToMany(0, of: self) }
      set { _storage.setToMany(0, newValue, of: self) }
    }
    var lines: OrderedToMany<Cut> {
      get { OrderedToMany(1, of: self) }
      set { _storage.setToMany(1, newValue, of: self) }
    }
  }

  private final class Cut: TestModel {
    static let entity = Entity(
      Cut.self, name: "Cut",
      properties: [
        .attribute("name", String.self), .toMany("lists", Tracklist.self),
        .toMany("rows", Tracklist.self, isOrdered: true),
      ])
    let _storage: ObjectStorage
    init(_storage: ObjectStorage) { self._storage = _storage }
    init(_ name: String) {
      _storage = ObjectStorage(Self.entity)
      _storage.set(0, name)
    }
    var name: String { _storage.get(0) }
    var rows: OrderedToMany<Tracklist> {
      get { OrderedToMany(2, of: self) }
      set { _storage.setToMany(2, newValue, of: self) }
    }
  }

  func testDetachedPairsKeepTheirOrderWhicheverEndHasIt() async throws {
    let test = try TestStore(Schema(Tracklist.self, Cut.self))
    let context = RootContext(test.store)
    let lists = [Tracklist(), Tracklist(), Tracklist()]
    let cuts = "abcd".map { Cut(String($0)) }
    lists[0].cuts = [cuts[2], cuts[0], cuts[3], cuts[1]]
    lists[1].cuts = [cuts[1], cuts[0], cuts[2]]
    for cut in cuts { cut.rows = [lists[2], lists[0], lists[1]] }
    lists[0].lines.move(from: 3, to: 0)
    lists[0].lines.move(from: 3, to: 1)
    context.insert(cuts[0])
    func check(_ context: RootContext) throws {
      let found = try lists.map { try context.object($0.id) }
      XCTAssertEqual(found.map { $0.cuts.map(\.name).joined() }, ["cadb", "bac", ""])
      XCTAssertEqual(found.map { $0.lines.map(\.name).joined() }, ["dcab", "abcd", "abcd"])
      for cut in cuts {
        XCTAssertEqual(try context.object(cut.id).rows.map(\.id), [lists[2].id, lists[0].id, lists[1].id])
      }
    }
    try check(context)
    try await context.save()
    try check(RootContext(test.store))
    let report = try await StoreMaintenance.verify(test.store)
    XCTAssertTrue(report.isSound, "\(report)")
  }

  func testWhatAnUpdatePutsIntoARelationshipComesLast() async throws {
    let context = RootContext(test.store)
    context.insert(Song("s"))
    let (former, _) = album(context, "ab")
    let (latter, _) = album(context, "xy")
    former.songs.move(from: 1, to: 0)
    try await saved(context)
    let (from, to) = (former.id, latter.id)
    XCTAssertEqual(try context.update(Fetch<Song> { $0.album == from }) { $0.album.set(to: to) }, 2)
    XCTAssertEqual(text(former.songs), "")
    // In which order the update finds them is its own affair.
    let all = text(latter.songs)
    XCTAssertTrue(["xyab", "xyba"].contains(all), all)
    XCTAssertEqual(try context.update(Fetch<Song> { $0.name == "s" }) { $0.album.set(to: to) }, 1)
    XCTAssertEqual(text(latter.songs), all + "s")
    try await saved(context)
    // What is there already stays where it is.
    XCTAssertEqual(try context.update(Fetch<Song> { $0.album == to }) { $0.album.set(to: to) }, 0)
    XCTAssertFalse(context.hasChanges)
    XCTAssertEqual(text(try RootContext(test.store).object(to).songs), all + "s")
    XCTAssertEqual(try context.update(Fetch<Song> { $0.name == "x" }) { $0.album.set(to: from) }, 1)
    try await saved(context)
    XCTAssertEqual(try context.update(Fetch<Song> { $0.name == "x" }) { $0.album.set(to: to) }, 1)
    try await saved(context)
    XCTAssertEqual(text(try RootContext(test.store).object(to).songs), all.dropFirst() + "sx")
  }

  func testWhatIsRemovedGoesThoughOthersMovedIt() async throws {
    let (one, other) = (RootContext(test.store), RootContext(test.store))
    let (here, songs) = album(one, "abc")
    let playlist = one.insert(Playlist())
    playlist.songs = OrderedToMany(songs)
    try await saved(one)
    try other.refresh()
    try other.object(playlist.id).songs.move(from: 0, to: 2)
    try other.object(here.id).songs.move(from: 1, to: 0)
    playlist.songs.remove(songs[0])
    one.delete(songs[1])
    try await saved(other)
    XCTAssertEqual(try one.conflicts(), [])
    try await saved(one)
    XCTAssertEqual([text(playlist.songs), text(here.songs)], ["c", "ac"])
  }

  func testAChangeOfOrderIsOneOfTheObjectWhoseMembersTheyAre() async throws {
    let context = RootContext(test.store)
    let playlist = context.insert(Playlist())
    playlist.songs = OrderedToMany("ab".map { context.insert(Song(String($0))) })
    try await saved(context)
    playlist.songs.move(from: 1, to: 0)
    XCTAssertEqual(context.changes.updated, [playlist.id.any])
  }

  /// What a group leaves behind that comes to nothing.
  private func assertNothing(
    _ context: RootContext, _ what: String, line: UInt = #line, _ body: () -> Void
  ) async throws {
    context.group("Nothing", body)
    XCTAssertFalse(context.hasChanges, what, line: line)
    XCTAssertEqual(context.changes.updated, [], what, line: line)
    XCTAssertFalse(context.canUndo, what, line: line)
    let saved = try await context.saveChanges()
    XCTAssertTrue(saved.isEmpty, what, line: line)
    context.discard()
  }

  func testAMemberThatComesAndGoesLeavesNoChange() async throws {
    let context = RootContext(test.store)
    let (album, songs) = album(context, "abc")
    let (song, other) = (context.insert(Song("x")), context.insert(Song("y")))
    let playlist = context.insert(Playlist())
    playlist.songs.append(contentsOf: [songs[0], songs[1]])
    try await saved(context)
    try await assertNothing(context, "appended and removed") {
      album.songs.append(song)
      album.songs.remove(song)
    }
    try await assertNothing(context, "pointed there and away") {
      song.album = album
      song.album = nil
    }
    try await assertNothing(context, "the last one removed and appended again") {
      album.songs.remove(songs[2])
      album.songs.append(songs[2])
    }
    try await assertNothing(context, "moved away and back") {
      album.songs.move(from: 0, to: 2)
      album.songs.move(from: 2, to: 0)
    }
    try await assertNothing(context, "in the way of a relationship that is deleted") {
      let passing = context.insert(Album("B"))
      passing.songs.append(contentsOf: [song, other])
      context.delete(passing)
    }
    try await assertNothing(context, "the last pair removed and made again") {
      playlist.songs.remove(songs[1])
      playlist.songs.append(songs[1])
    }
    try await assertNothing(context, "through another album") {
      songs[2].album = nil
      songs[2].album = context.insert(Album("C"))
      if let other = songs[2].album { context.delete(other) }
      album.songs.append(songs[2])
    }
    album.songs.remove(songs[0])
    album.songs.append(songs[0])
    XCTAssertEqual(text(album.songs), "bca")
    playlist.songs.remove(songs[0])
    playlist.songs.append(songs[0])
    XCTAssertEqual(text(playlist.songs), "ba")
    try await saved(context)
    XCTAssertEqual(text(try RootContext(test.store).object(album.id).songs), "bca")
  }

  func testAChildThatTakesAMemberOutLeavesNoChange() async throws {
    let context = RootContext(test.store)
    let (album, _) = album(context, "ab")
    let song = context.insert(Song("x"))
    try await saved(context)
    for isAppended in [true, false] {
      let child = context.makeChild()
      let (inChild, its) = (try child.object(album.id), try child.object(song.id))
      if isAppended { inChild.songs.append(its) } else { inChild.songs.remove(its) }
      try child.save()
      XCTAssertEqual(context.hasChanges, isAppended)
    }
  }

  func testAMemberOfWhatOthersDeletedLeavesNoPlace() async throws {
    for isResolved in [false, true] {
      let context = RootContext(test.store, followsHead: false)
      let (album, _) = album(context, "a")
      let song = context.insert(Song("x"))
      try await context.save()
      try await test.store.write { [id = album.id] in $0.delete(try $0.object(id)) }
      album.songs.append(song)
      if isResolved {
        for conflict in try context.conflicts() { try context.resolve(conflict, with: .null) }
        XCTAssertFalse(context.hasChanges)
      }
      let saved = try await context.saveChanges(merging: .mine)
      XCTAssertTrue(saved.isEmpty)
      XCTAssertNil(song.album)
    }
  }

  func testAppendingAMemberLeavesItWhereItIs() async throws {
    let context = RootContext(test.store)
    let (album, songs) = album(context, "abc")
    let playlist = context.insert(Playlist())
    playlist.songs.append(contentsOf: songs)
    try await saved(context)
    album.songs.append(songs[0])
    album.songs.append(contentsOf: songs)
    playlist.songs.append(songs[0])
    try album.insert(songs[0].id.any, into: "songs")
    XCTAssertFalse(context.hasChanges)
    XCTAssertEqual(text(album.songs), "abc")
    album.songs.insert(songs[0], at: album.songs.endIndex)
    XCTAssertEqual(text(album.songs), "bca")
    let detached = Album("B")
    let members = "xy".map { Song(String($0)) }
    detached.songs.append(contentsOf: members)
    detached.songs.append(members[0])
    XCTAssertEqual(text(detached.songs), "xy")
    detached.songs.insert(members[0], at: 2)
    XCTAssertEqual(text(detached.songs), "yx")
  }

  func testPairsHaveAnOrderOfTheirOwn() async throws {
    let context = RootContext(test.store)
    let (one, other) = (context.insert(Playlist()), context.insert(Playlist()))
    let songs = "abcd".map { context.insert(Song(String($0))) }
    one.songs = OrderedToMany(songs)
    other.songs = OrderedToMany(songs.reversed())
    try await saved(context)
    one.songs.move(from: 3, to: 1)
    XCTAssertEqual([text(one.songs), text(other.songs)], ["adbc", "dcba"])
    XCTAssertEqual(songs[0].playlists.count, 2)
    try await saved(context)
    context.delete(songs[1])
    XCTAssertEqual([text(one.songs), text(other.songs)], ["adc", "dca"])
    try await saved(context)
    XCTAssertEqual(text(try RootContext(test.store).object(one.id).songs), "adc")
  }

  func testThePastHasTheOrderOfItsTime() async throws {
    for seed in testSeeds(2) {
      var random = SeededGenerator(seed: seed)
      let context = RootContext(test.store)
      let (album, songs) = album(context, "abcdef")
      let list = context.insert(Playlist())
      list.songs = OrderedToMany(songs)
      var orders: [Position: [String]] = [:]
      for _ in 0..<25 {
        for songs in [album.songs, list.songs] where songs.count > 1 {
          let from = Int.random(in: songs.indices, using: &random)
          let to = Int.random(in: songs.indices, using: &random)
          switch Int.random(in: 0..<4, using: &random) {
          case 0: songs.remove(at: from)
          case 1: songs.insert(context.insert(Song("\(songs.count)")), at: to)
          default: songs.move(from: from, to: to)
          }
        }
        orders[try await context.save()] = [text(album.songs), text(list.songs)]
      }
      for (position, order) in orders {
        let past = try test.store.context(at: position)
        let found = [text(try past.object(album.id).songs), text(try past.object(list.id).songs)]
        XCTAssertEqual(found, order, "at \(position)")
      }
    }
  }

  func testMovesOfDifferentMembersBothWinAndOfOneTheLast() async throws {
    let (one, other) = (RootContext(test.store), RootContext(test.store))
    let (here, songs) = album(one, "abcd")
    try await saved(one)
    try other.refresh()
    let there = try other.object(here.id)
    here.songs.move(from: 0, to: 3)
    there.songs.move(from: 3, to: 1)
    try await saved(one)
    try await saved(other)
    XCTAssertEqual(text(there.songs), "dbca")
    try one.refresh()
    here.songs.insert(songs[1], at: 0)
    there.songs.insert(try other.object(songs[1].id), at: there.songs.endIndex)
    try await saved(one)
    try await saved(other)
    XCTAssertEqual(text(there.songs), "dcab")
  }

  func testAMoveIsOneSmallEvent() async throws {
    let context = RootContext(test.store)
    let (album, _) = album(context, String(repeating: "x", count: 3000))
    try await saved(context)
    album.songs.move(from: 2999, to: 17)
    XCTAssertEqual(context.overlay.changes.map(\.key).count, 1)
    try await saved(context)
    let store = test.store
    let size = try store.read { (view, head) throws(StorageError) in
      try store.files.log.withFrame(head, view) { (frame) throws(MalformedBytes) in frame.bytes.count }
    }
    XCTAssertLessThan(size, 230)
  }

  func testTheSameTwoMovesAgainAndAgainMakeNoPlaceLong() async throws {
    let context = RootContext(test.store)
    let (album, songs) = album(context, "abcd")
    for round in 0..<3000 {
      album.songs.move(from: 3, to: 1)
      if round % 500 == 499 { try await context.save() }
    }
    XCTAssertEqual(text(album.songs).first, "a")
    for round in 0..<2000 {
      album.songs.move(from: 3, to: 0)
      if round % 500 == 499 { try await context.save() }
    }
    try await saved(context)
    let slot = try XCTUnwrap(Song.entity.slot(named: "place in album"))
    for song in songs {
      guard case .bytes(let key) = song._storage.value(slot) else { return XCTFail("no place") }
      XCTAssertLessThanOrEqual(key.count, Place.longest)
    }
  }

  func testARelationshipBecomesOrderedWithWhatItHas() async throws {
    let test = try TestStore(Schema(UnorderedAlbums.Album.self, UnorderedAlbums.Song.self))
    do {
      let context = RootContext(test.store)
      let album = context.insert(UnorderedAlbums.Album())
      for name in "abcd" { album.songs.insert(UnorderedAlbums.Song(String(name))) }
      try await context.save()
    }
    try await test.store.close()
    test.schema = Schema(Album.self, Song.self, Playlist.self)
    try test.open()
    let context = RootContext(test.store)
    let album = try XCTUnwrap(context.first(Fetch<Album>()))
    XCTAssertEqual(text(album.songs), "abcd")
    album.songs.append(Song("e"))
    album.songs.move(from: 4, to: 2)
    XCTAssertEqual(text(album.songs), "abecd")
    album.songs.move(from: 0, to: 4)
    XCTAssertEqual(text(album.songs), "becda")
    try await context.save()
    let report = try await StoreMaintenance.verify(test.store)
    XCTAssertTrue(report.isSound, "\(report)")
  }

  func testChildrenOrderAndDiscard() async throws {
    let context = RootContext(test.store)
    let (album, _) = album(context, "abc")
    let child = context.makeChild()
    let inner = try child.object(album.id)
    inner.songs.move(from: 2, to: 0)
    XCTAssertEqual([text(inner.songs), text(album.songs)], ["cab", "abc"])
    child.discard()
    XCTAssertEqual(text(inner.songs), "abc")
    inner.songs.move(from: 2, to: 1)
    try child.save()
    XCTAssertEqual(text(album.songs), "acb")
    try await saved(context)
  }

  /// What two contexts place at once stands, for each of them, where it put it among what the other left alone; of what
  /// both place, the last save decides.
  func testRandomMovesOfTwoContextsAtOnceStandWhereEachPutThem() async throws {
    continueAfterFailure = false
    let slot = try XCTUnwrap(Song.entity.slot(named: Property.nameOfPlaces(in: "album")))
    for seed in testSeeds(12) {
      var random = SeededGenerator(seed: seed)
      let test = try TestStore(Schema(Album.self, Song.self, Playlist.self))
      let (one, other) = (RootContext(test.store), RootContext(test.store))
      let here = one.insert(Album("A"))
      for number in 0..<12 { here.songs.append(one.insert(Song("\(number)"))) }
      try await one.save()
      for _ in 0..<20 {
        try one.refresh()
        try other.refresh()
        let there = try other.object(here.id)
        func places(_ album: Album) -> [String: PropertyValue] {
          Dictionary(uniqueKeysWithValues: album.songs.map { ($0.name, $0._storage.value(slot)) })
        }
        let before = places(here)
        for album in [here, there] {
          for _ in 0..<Int.random(in: 1...3, using: &random) {
            album.songs.move(from: Int.random(in: 0..<12, using: &random), to: Int.random(in: 0..<12, using: &random))
          }
        }
        // Without room between two, their neighbours are placed anew as well.
        let (after, afterwards) = (places(here), places(there))
        let (order, otherOrder) = (here.songs.map(\.name), there.songs.map(\.name))
        try await one.save()
        try await other.save()
        // It may have had nothing to save.
        try other.refresh()
        let all = there.songs.map(\.name)
        XCTAssertEqual(all.count, 12, "\(seed)")
        func isOfLast(_ name: String) -> Bool { afterwards[name] != before[name] }
        func isOfFirst(_ name: String) -> Bool { after[name] != before[name] }
        XCTAssertEqual(
          all.filter { !isOfLast($0) }, order.filter { !isOfLast($0) }, "\(seed): what the first put or left")
        XCTAssertEqual(
          all.filter { isOfLast($0) || !isOfFirst($0) }, otherOrder.filter { isOfLast($0) || !isOfFirst($0) },
          "\(seed): what the last put or left")
      }
      let report = try await StoreMaintenance.verify(test.store)
      XCTAssertTrue(report.isSound, "\(seed): \(report)")
    }
  }

  /// Against arrays: edits, undo, saves, a second context that moves the same members in between, and reopening.
  func testRandomOrdersAreThoseOfArrays() async throws {
    continueAfterFailure = false
    for seed in testSeeds(12) {
      var random = SeededGenerator(seed: seed)
      let test = try TestStore(Schema(Album.self, Song.self, Playlist.self))
      let context = RootContext(test.store)
      let album = context.insert(Album("A"))
      let playlist = context.insert(Playlist())
      var songs: [Song] = []
      var states: [([Song], [Song])] = [([], [])]
      for _ in 0..<120 {
        var (inAlbum, inPlaylist) = states[states.count - 1]
        func put(_ song: Song, _ position: Int, _ array: inout [Song]) {
          var position = min(max(position, 0), array.count)
          if let old = array.firstIndex(where: { $0 === song }) {
            array.remove(at: old)
            if old < position { position -= 1 }
          }
          array.insert(song, at: position)
        }
        var isStep = true
        switch Int.random(in: 0..<14, using: &random) {
        case 0..<2:
          let song = Song("\(songs.count)")
          songs.append(song)
          let position = Int.random(in: 0...inAlbum.count, using: &random)
          album.songs.insert(song, at: position)
          put(song, position, &inAlbum)
        case 2..<5:
          guard let song = songs.randomElement(using: &random), song.state != .deleted else { continue }
          let position = Int.random(in: -1...inAlbum.count + 1, using: &random)
          let before = inAlbum
          album.songs.insert(song, at: position)
          put(song, position, &inAlbum)
          isStep = !before.elementsEqual(inAlbum, by: ===)
        case 5..<7:
          guard let song = songs.randomElement(using: &random), song.state != .deleted else { continue }
          let position = Int.random(in: 0...inPlaylist.count, using: &random)
          let before = inPlaylist
          playlist.songs.insert(song, at: position)
          put(song, position, &inPlaylist)
          isStep = !before.elementsEqual(inPlaylist, by: ===)
        case 7:
          guard let song = inPlaylist.randomElement(using: &random) else { continue }
          playlist.songs.remove(song)
          inPlaylist.removeAll { $0 === song }
        case 8:
          guard let song = inAlbum.randomElement(using: &random) else { continue }
          context.delete(song)
          inAlbum.removeAll { $0 === song }
          inPlaylist.removeAll { $0 === song }
        case 9:
          let before = inPlaylist
          inPlaylist = inAlbum.shuffled(using: &random)
          playlist.songs = OrderedToMany(inPlaylist)
          isStep = !before.elementsEqual(inPlaylist, by: ===)
        case 10:
          let before = inAlbum
          let offsets = inAlbum.indices.filter { _ in Int.random(in: 0..<4, using: &random) == 0 }
          let destination = Int.random(in: 0...inAlbum.count, using: &random)
          let moved = offsets.map { inAlbum[$0] }
          let behind = inAlbum.indices.filter { $0 >= destination && !offsets.contains($0) }.map { inAlbum[$0] }
          inAlbum.removeAll { song in (moved + behind).contains { $0 === song } }
          inAlbum += moved + behind
          album.songs.move(fromOffsets: offsets, toOffset: destination)
          isStep = !before.elementsEqual(inAlbum, by: ===)
        case 11:
          let new = (0..<3).map { Song("\(songs.count + $0)") }
          songs += new
          let position = Int.random(in: 0...inAlbum.count, using: &random)
          album.songs.insert(contentsOf: new, at: position)
          inAlbum.insert(contentsOf: new, at: position)
        case 12:
          guard states.count > 1, context.canUndo else { continue }
          context.undo()
          states.removeLast()
          (inAlbum, inPlaylist) = states[states.count - 1]
          isStep = false
        default:
          try await context.save()
          for _ in 0..<Int.random(in: 0..<3, using: &random) where inAlbum.count > 1 && inPlaylist.count > 1 {
            let other = RootContext(test.store)
            let (from, to) = (
              inAlbum.indices.randomElement(using: &random)!, inAlbum.indices.randomElement(using: &random)!
            )
            try other.object(album.id).songs.move(from: from, to: to)
            inAlbum.insert(inAlbum.remove(at: from), at: to)
            let (last, first) = (inPlaylist.count - 1, 0)
            try other.object(playlist.id).songs.move(from: last, to: first)
            inPlaylist.insert(inPlaylist.remove(at: last), at: first)
            try await other.save()
          }
          try context.refresh()
          states = [(inAlbum, inPlaylist)]
          isStep = false
        }
        if isStep { states.append((inAlbum, inPlaylist)) }
        XCTAssertEqual(album.songs.map(\.name), inAlbum.map(\.name), "\(seed)")
        XCTAssertEqual(playlist.songs.map(\.name), inPlaylist.map(\.name), "\(seed)")
        if let place = inAlbum.indices.randomElement(using: &random) {
          XCTAssertTrue(album.songs[place] === inAlbum[place], "\(seed)")
          XCTAssertEqual(album.songs.firstIndex(of: inAlbum[place]), place, "\(seed)")
        }
      }
      try await context.save()
      let names = [album.songs.map(\.name), playlist.songs.map(\.name)]
      let report = try await StoreMaintenance.verify(test.store)
      XCTAssertTrue(report.isSound, "\(seed): \(report)")
      let again = RootContext(test.store)
      XCTAssertEqual(
        [try again.object(album.id).songs.map(\.name), try again.object(playlist.id).songs.map(\.name)], names)
    }
  }
}
