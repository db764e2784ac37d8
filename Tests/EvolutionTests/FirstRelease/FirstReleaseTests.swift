import Foundation
import RepriseCore
import RepriseTestModels
import XCTest

/// The store that the first version of the library made is opened, read and verified by every later one.
@MainActor final class FirstReleaseTests: XCTestCase {
  private var path = ""

  override func setUp() async throws {
    // LMDB keeps its byte order and, in version 0.9, the machine's size of pages.
    try XCTSkipIf(1.bigEndian == 1 || getpagesize() != 4096, "the store is of another kind of machine")
    path = FileManager.default.temporaryDirectory.path + "/reprise-\(UUID().uuidString)"
    try FirstReleaseStore.copy(to: path)
  }

  override func tearDown() async throws { try? FileManager.default.removeItem(atPath: path) }

  private func open() async throws -> Store {
    try await Store.open(path, for: FirstReleaseStore.schema, checksStructure: true)
  }

  func testAStoreOfTheFirstReleaseHasAllThatWasSavedInIt() async throws {
    let store = try await open()
    let head = store.head
    XCTAssertEqual(try FirstReleaseStore.contents(of: store.mainContext), try FirstReleaseStore.expectedContents())
    let report = try await store.verify()
    XCTAssertEqual(report.problems, [])
    XCTAssertGreaterThan(report.transactions, 4)
    XCTAssertEqual(store.head, head, "opening it writes nothing")
    try await store.close()
  }

  func testItsIndexesServe() async throws {
    let store = try await open()
    let context = store.mainContext
    XCTAssertEqual(try context.fetch(Fetch<Album> { $0.title == "Album 7" }).map(\.code.low), [7])
    XCTAssertEqual(try context.fetch(Fetch<Album> { $0.notes.contains(words: "ŁÓDZ 13") }).map(\.code.low), [13])
    let teacher = try XCTUnwrap(try context.fetch(Fetch<Artist> { $0.name == "Teacher" }).first)
    let byYear = Fetch<Album> { $0.artist == teacher }.sorted { $0.year.ascending }
    XCTAssertEqual(try context.fetch(byYear).map(\.year), stride(from: 0, to: 30, by: 3).map { 1960 + $0 % 7 }.sorted())
    let named = Fetch<Album> { $0.title.equals("ALBUM 8", .ignoringCase) }
    XCTAssertEqual(try context.fetch(named).map(\.code.low), [8])
    context.insert(Album("second", year: 1, code: 8))
    do {
      try await context.save()
      XCTFail("saved a code twice")
    } catch SaveError.refused(let refusal) {
      XCTAssertEqual(refusal.violations.map(\.properties), [["code"]])
    }
    try await store.close()
  }

  func testItsDraftsAndScreensComeBack() async throws {
    let store = try await open()
    XCTAssertEqual(try store.drafts.map(\.id).sorted(), ["checkpointed", "journalled"])
    let checkpointed = try store.mainContext.makeChild(draft: "checkpointed")
    XCTAssertEqual(
      try checkpointed.fetch(Fetch<Album> { $0.code == UniqueID(high: 1, low: 5) }).map(\.title),
      ["typed and checkpointed"])
    let journalled = try store.mainContext.makeChild(draft: "journalled")
    let typed = try journalled.fetch(Fetch<Album> { $0.year >= 2000 }.sorted { $0.year.ascending })
    XCTAssertEqual(typed.map(\.title), ["typed", "typed and new"])
    let run = Restoration(store)
    try run.define(FirstReleaseStore.Screen.kind) { FirstReleaseStore.Screen($0) }
    try await run.restore()
    let detail = try run.screen(FirstReleaseStore.Screen.kind, at: NodePath(["list", "detail"]))
    XCTAssertEqual(detail?.node.state.album, typed.first?.id)
    try journalled.save()
    try await store.mainContext.save()
    let report = try await store.verify()
    XCTAssertEqual(report.problems, [])
    try await store.close()
  }

  func testItIsRebuiltFromItsLog() async throws {
    try await Store.rebuild(path)
    let store = try await open()
    XCTAssertEqual(try FirstReleaseStore.contents(of: store.mainContext), try FirstReleaseStore.expectedContents())
    try await store.close()
  }

  func testItTakesLongTexts() async throws {
    var store = try await open()
    let context = RootContext(store, isolation: nil)
    let album = try XCTUnwrap(try context.fetch(Fetch<Album> { $0.code == UniqueID(high: 1, low: 5) }).first)
    let notes = (0..<20_000).map { "word\($0)" }.joined(separator: " ")
    album.notes = notes
    try await context.save("Write")
    album.notes?.append("!")
    try await context.save("Type")
    XCTAssertEqual(try RootContext(store, isolation: nil).object(album.id).notes, notes + "!")
    try await store.close()
    store = try await open()
    XCTAssertEqual(try RootContext(store, isolation: nil).object(album.id).notes, notes + "!")
    let report = try await store.verify()
    XCTAssertEqual(report.problems, [])
    try await store.close()
  }

  func testItTakesLargeValues() async throws {
    let models = Schema(Album.self, Artist.self, Biography.self, Photo.self)
    var store = try await Store.open(path, for: models)
    let context = RootContext(store, isolation: nil)
    let bytes = [UInt8](repeating: 7, count: 3_000_000)
    let photo = context.insert(Photo(name: "first", original: try await Blob(bytes, in: store)))
    try await context.save("Add")
    try await store.close()
    store = try await Store.open(path, for: models, checksStructure: true)
    let found = try await RootContext(store, isolation: nil).object(photo.id).original.bytes(in: store)
    XCTAssertEqual(found, bytes)
    let report = try await store.verify()
    XCTAssertEqual(report.problems, [])
    XCTAssertEqual(report.blobs, 1)
    try await store.close()
  }
}
