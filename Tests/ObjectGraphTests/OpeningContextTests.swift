import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import RepriseTestOpening
import XCTest

/// Contexts that are handed around before their store is open.
@MainActor final class OpeningContextTests: XCTestCase {
  private let path = NSTemporaryDirectory() + "reprise-\(UUID().uuidString)"

  override func tearDown() { try? FileManager.default.removeItem(atPath: path) }

  private var everything: Fetch<Item> { Fetch<Item>().sorted { $0.name.ascending } }

  /// A store with a chair, which is closed again.
  @discardableResult
  private func chair(typing name: String? = nil) async throws -> Item.ID {
    let store = try await Store.open(path, for: Item.self, Person.self)
    let chair = store.mainContext.insert(Item(name: "Chair"))
    try await store.mainContext.save()
    if let name { chair.name = name }
    try await store.close()
    return chair.id
  }

  private func opening() -> Store { Store.opening(path, for: Item.self, Person.self) }

  func testAContextMadeBeforeItsStoreIsOpenReadsItOnceItIs() async throws {
    let id = try await chair()
    let hold = OpeningHold(path)
    let store = opening()
    XCTAssertFalse(store.isReady)
    let context = store.mainContext
    let child = context.makeChild()
    let other = RootContext(store, isolation: nil)
    XCTAssertEqual(context.position, 0)
    XCTAssertThrowsError(try context.fetch(everything)) { error in
      XCTAssert("\(error)".contains("still being opened"), "\(error)")
    }
    XCTAssertThrowsError(try context.object(id)) { error in
      guard case LookupError.store(.opening)? = error as? LookupError else { return XCTFail("\(error)") }
    }
    XCTAssertThrowsError(try context.refresh())
    XCTAssertThrowsError(try store.drafts.all())
    XCTAssertThrowsError(try store.uri(for: id.any))
    XCTAssertThrowsError(try context.makeChild(draft: "editor"))
    hold.release()
    try await child.ready()
    XCTAssertTrue(store.isReady)
    XCTAssertEqual(try context.fetch(everything).map(\.name), ["Chair"])
    XCTAssertEqual(try child.object(id).name, "Chair")
    XCTAssertEqual(try other.object(id).name, "Chair")
    XCTAssertEqual(context.position, store.log.head)
    XCTAssertEqual(child.position, store.log.head)
    XCTAssertEqual(context.draftID, "main")
    XCTAssertTrue(store.mainContext === context)
    XCTAssertNoThrow(try context.makeChild(draft: "editor"))

    // It follows, like any other.
    let writer = RootContext(store, isolation: nil)
    try writer.object(id).name = "Armchair"
    try await writer.save()
    while context.position < store.log.head { await Task.yield() }
    XCTAssertEqual(try child.object(id).name, "Armchair")
    try await store.close()
  }

  func testWhatIsInsertedBeforeTheStoreIsOpenIsSavedOnceItIs() async throws {
    try await chair()
    let hold = OpeningHold(path)
    let store = opening()
    let context = RootContext(store, author: "early")
    let ada = Person(name: "Ada")
    let table = context.insert(Item(name: "Table"))
    table.owner = ada
    let child = context.makeChild()
    try child.object(table.id).valueInDollars = 40
    XCTAssertEqual(ada.items.count, 1)
    XCTAssertTrue(context.hasChanges)
    let save = Task { try await context.save("Early") }
    for _ in 0..<10 { await Task.yield() }
    XCTAssertFalse(store.isReady)
    hold.release()
    _ = try await save.value
    XCTAssertFalse(context.hasChanges)
    XCTAssertEqual(context.readErrors.count, 0)
    XCTAssertEqual(try child.object(table.id).valueInDollars, 40)
    XCTAssertEqual(try context.object(table.id).valueInDollars, 0)
    let plain = RootContext(store, isolation: nil)
    let owners = try plain.fetch(everything).map { "\($0.name) of \($0.owner?.name ?? "nobody")" }
    XCTAssertEqual(owners, ["Chair of nobody", "Table of Ada"])
    try child.save()
    try await context.save()
    XCTAssertEqual(try store.context(at: store.log.head).object(table.id).valueInDollars, 40)
    try await store.close()
  }

  func testRelationshipsOfNewObjectsHoldBeforeTheStoreIsOpen() async throws {
    try await Store.open(path, for: Album.self, Song.self, Playlist.self).close()
    let hold = OpeningHold(path)
    let store = Store.opening(path, for: Album.self, Song.self, Playlist.self)
    let context = store.mainContext
    let (album, playlist) = (context.insert(Album("A")), context.insert(Playlist()))
    let songs = ["a", "b", "c"].map { context.insert(Song($0)) }
    album.songs.append(contentsOf: songs)
    album.songs.move(from: 2, to: 0)
    playlist.songs.append(contentsOf: [songs[1], songs[0]])
    func check() {
      XCTAssertEqual(album.songs.map(\.name), ["c", "a", "b"])
      XCTAssertEqual(playlist.songs.map(\.name), ["b", "a"])
      XCTAssertEqual(songs[0].playlists.count, 1)
      XCTAssertEqual(songs[2].album?.title, "A")
      XCTAssertEqual(context.readErrors.count, 0)
    }
    check()
    playlist.songs.remove(at: 0)
    context.undo()
    check()
    hold.release()
    try await context.ready()
    check()
    try await context.save()
    check()
    try await store.close()
  }

  func testADraftIsTakenUpOnceTheStoreIsOpenBelowWhatWasInsertedMeanwhile() async throws {
    let id = try await chair(typing: "Armchair")
    let hold = OpeningHold(path)
    var store = opening()
    let context = store.mainContext
    XCTAssertNil(context.draftID)
    let table = context.insert(Item(name: "Table")).id
    hold.release()
    try await context.ready()
    XCTAssertEqual(context.draftID, "main")
    XCTAssertEqual(try context.fetch(everything).map(\.name), ["Armchair", "Table"])
    context.undo()
    XCTAssertEqual(try context.fetch(everything).map(\.name), ["Armchair"])
    context.redo()
    // Both are in the draft by now, in this order.
    try await store.flush()
    await store.abandon()
    store = try await Store.open(path, for: Item.self, Person.self)
    let again = store.mainContext
    XCTAssertEqual(try again.fetch(everything).map(\.name), ["Armchair", "Table"])
    XCTAssertEqual(try again.object(table).name, "Table")
    again.undo()
    again.undo()
    XCTAssertEqual(try again.object(id).name, "Chair")
    XCTAssertFalse(again.hasChanges)
    try await store.close()
  }

  func testADraftThatSomebodyHasIsToldOnceTheStoreIsOpen() async throws {
    try await chair()
    let hold = OpeningHold(path)
    let store = opening()
    let (first, second) = (try RootContext(store, draft: "note"), try RootContext(store, draft: "note"))
    hold.release()
    try await first.ready()
    try await second.ready()
    let failures = [first, second].compactMap(\.draftFailure)
    XCTAssertEqual(failures.map(\.description), [DraftError.inUse("note").description])
    try await store.close()
  }

  func testWhoHoldsAStoreThatCannotBeOpenedIsToldWhyAndGoesOnWhenItCan() async throws {
    let parent = path
    let store = Store.opening(parent + "/store", for: Item.self, Person.self)
    let context = store.mainContext
    let table = context.insert(Item(name: "Table"))
    let failure = await failure { try await store.ready() }
    XCTAssertEqual((failure as? StoreError)?.description, StoreError.notFound(path: parent + "/store").description)
    let inContext = await self.failure { try await context.ready() }
    XCTAssertEqual((inContext as? StoreError)?.description, StoreError.notFound(path: parent + "/store").description)
    XCTAssertThrowsError(try context.object(Item.ID(uuid: UniqueID()))) { error in
      guard case LookupError.store(.notFound)? = error as? LookupError else { return XCTFail("\(error)") }
    }
    let inSave = await self.failure { try await context.save() }
    guard case .store(.notFound)? = inSave as? SaveError else { return XCTFail("\(String(describing: inSave))") }
    XCTAssertTrue(context.hasChanges)

    try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: false)
    store.retryOpening()
    try await context.ready()
    try await context.save()
    XCTAssertEqual(try context.fetch(everything).map(\.name), ["Table"])
    XCTAssertEqual(try RootContext(store).object(table.id).name, "Table")
    let again = try await Store.open(parent + "/store", for: Item.self, Person.self)
    XCTAssertTrue(again === store)
    try await store.close()
  }

  private func failure(_ body: () async throws -> Void) async -> (any Error)? {
    do {
      try await body()
      return nil
    } catch {
      return error
    }
  }

  func testADirectoryHasOneStoreHoweverItIsOpened() async throws {
    try await chair()
    let hold = OpeningHold(path)
    let first = opening()
    let path = path
    let second = Task { try await Store.open(path, for: Item.self, Person.self) }
    let third = opening()
    XCTAssertTrue(first === third)
    hold.release()
    let opened = try await second.value
    XCTAssertTrue(first === opened)
    try await first.ready()
    XCTAssertTrue(opening() === first)
    let other = Store.opening(path, for: Item.self, Person.self, Photo.self)
    let failure = await failure { try await other.ready() }
    XCTAssertEqual(
      (failure as? StoreError)?.description, StoreError.alreadyOpenWithOtherModels(path: path).description)
    try await first.close()
  }

  func testOfManyThatOpenAndCloseAStoreAtOnceEachGetsOneThatIsOpen() async throws {
    try await chair()
    let path = path
    for _ in 0..<20 {
      let stores = try await withThrowingTaskGroup { group in
        for number in 0..<8 {
          group.addTask {
            if number.isMultiple(of: 2) { return try await Store.open(path, for: Item.self, Person.self) }
            let store = Store.opening(path, for: Item.self, Person.self)
            try await store.ready()
            return store
          }
        }
        var stores: [Store] = []
        for try await store in group { stores.append(store) }
        return stores
      }
      XCTAssertTrue(stores.allSatisfy { $0 === stores[0] && $0.isReady })
      try await stores[0].close()
    }
  }

  func testAStoreThatIsClosedWhileItIsOpenedIsToldAsClosedAndCanBeOpenedAgain() async throws {
    let id = try await chair()
    let hold = OpeningHold(path)
    let store = opening()
    let context = store.mainContext
    let waiting = Task { try await store.ready() }
    await Task.yield()
    let closing = Task { try await store.close() }
    for _ in 0..<10 { await Task.yield() }
    hold.release()
    try await closing.value
    let failure = await failure { try await waiting.value }
    XCTAssertEqual((failure as? StoreError)?.description, StoreError.closed(path: path).description)
    XCTAssertThrowsError(try context.object(id))
    let again = try await Store.open(path, for: Item.self, Person.self)
    XCTAssertFalse(again === store)
    XCTAssertEqual(try again.mainContext.object(id).name, "Chair")
    try await again.close()
  }

  func testWhoStopsWaitingDoesNotStopTheOpening() async throws {
    try await chair()
    let hold = OpeningHold(path)
    let store = opening()
    let waiting = Task { try await store.ready() }
    await Task.yield()
    waiting.cancel()
    let failure = await failure { try await waiting.value }
    XCTAssert(failure is CancellationError, "\(String(describing: failure))")
    hold.release()
    try await store.ready()
    try await store.close()
  }

  func testWorkInTheBackgroundWaitsForTheStore() async throws {
    let id = try await chair()
    let hold = OpeningHold(path)
    let store = opening()
    let background = BackgroundContext(store)
    let work = Task { try await background.perform { context in try context.object(id).name } }
    let request = Task { try await store.write { context in try context.object(id).valueInDollars = 3 } }
    let reading = Task { try await store.read { context in try context.count(Fetch<Item>()) } }
    for _ in 0..<10 { await Task.yield() }
    hold.release()
    let (name, count) = (try await work.value, try await reading.value)
    XCTAssertEqual(name, "Chair")
    XCTAssertEqual(count, 1)
    _ = try await request.value
    try await store.close()
  }

  func testAFeedOfAStoreThatIsBeingOpenedBeginsWithItsFirstTransaction() async throws {
    try await chair()
    let hold = OpeningHold(path)
    let store = opening()
    let reading = Task {
      var positions: [Position] = []
      for try await transaction in store.log.feed(after: nil) {
        positions.append(transaction.position)
        if positions.count == 2 { break }
      }
      return positions
    }
    await Task.yield()
    hold.release()
    let positions = try await reading.value
    XCTAssertEqual(positions, [1, 2])
    try await store.close()
  }

  func testANewStoreIsReadyWithoutBeingWaitedForLonger() async throws {
    let store = opening()
    let context = store.mainContext
    context.insert(Item(name: "First"))
    try await context.save()
    XCTAssertEqual(try context.fetch(everything).map(\.name), ["First"])
    try await store.close()
    // Nothing has to be written, so it is open at once.
    let again = opening()
    XCTAssertTrue(again.isReady)
    XCTAssertEqual(try again.mainContext.fetch(everything).map(\.name), ["First"])
    try await again.close()
  }

  func testAStoreThatIsGivenUpWhileItIsOpenedIsClosed() async throws {
    try await chair()
    let hold = OpeningHold(path)
    weak var given: Store?
    do {
      let store = opening()
      _ = store.mainContext
      given = store
      MainContexts.remove(store)
    }
    hold.release()
    while given != nil { await Task.yield() }
    let store = try await Store.open(path, for: Item.self, Person.self)
    XCTAssertEqual(try store.mainContext.count(everything), 1)
    try await store.close()
  }
}
