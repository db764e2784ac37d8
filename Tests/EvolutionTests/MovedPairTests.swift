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

  /// A draft adds, removes and reorders pairs of a light vehicle and of a heavy one, which becomes a truck.
  func testPairsOfMovedObjectsInADraftAreListed() async throws {
    let vehicle = ShapeA.named(
      "Vehicle", .attribute("load", Int.self), .toMany("tags", ShapeB.self, inverse: "vehicles", isOrdered: true))
    let tag = ShapeB.named("Tag", .attribute("title", String.self), .toMany("vehicles", ShapeA.self))
    let old = try await test.open(vehicle, tag)
    let context = RootContext(old)
    let tags = "abcd".map { context.insert(ShapeB(["title": String($0)])) }
    let vehicles = [1, 1_000].map { context.insert(ShapeA(["load": $0])) }
    let slot = try XCTUnwrap(ShapeA.entity.slot(named: "tags"))
    for vehicle in vehicles { OrderedToMany<ShapeB>(slot, of: vehicle).append(contentsOf: tags.prefix(3)) }
    try await context.save()
    let heavy = vehicles[1].id.uuid
    let typing = try RootContext(old, draft: "editor")
    for id in vehicles.map(\.id) {
      let members = OrderedToMany<ShapeB>(slot, of: try typing.object(id))
      members.move(from: 2, to: 0)
      members.append(try typing.object(tags[3].id))
      members.remove(try typing.object(tags[0].id))
    }
    try await old.flush()
    try await old.close()

    let rest = ShapeC.named(
      "Vehicle", .attribute("load", Int.self), .toMany("tags", ShapeE.self, inverse: "vehicles", isOrdered: true))
    let truck = ShapeD.named(
      "Truck", .attribute("load", Int.self), .toMany("tags", ShapeE.self, inverse: "trucks", isOrdered: true))
    let later = ShapeE.named(
      "Tag", .attribute("title", String.self), .toMany("vehicles", ShapeC.self), .toMany("trucks", ShapeD.self))
    let trucks = EntityMapping.move(
      "Vehicle", to: "Truck", where: { ($0.value("load", as: Int.self) ?? 0) > 500 })
    let store = try await test.open([rest, truck, later], [Migration(to: 1, "Trucks", mapping: [trucks])])
    let editor = try RootContext(store, draft: "editor")
    func titles(_ members: [UniqueID]) throws -> [PropertyValue] {
      try members.map { try editor.object(ShapeE.ID(uuid: $0))["title"] }
    }
    XCTAssertEqual(
      editor.draftProblems.filter { $0.contains("changes Vehicle \(heavy) (Tag.vehicles)") }.count, 3,
      "\(editor.draftProblems)")
    XCTAssertEqual(editor.draftProblems.count, 3)
    XCTAssertEqual(try editor.conflicts(), [])
    try await editor.save()
    let light = try XCTUnwrap(try editor.fetch(Fetch<ShapeC>()).first)
    XCTAssertEqual(try titles(light.memberIDs("tags")), ["c", "b", "d"].map { .string($0) })
    let moved = try XCTUnwrap(try editor.fetch(Fetch<ShapeD>()).first)
    XCTAssertEqual(moved.id.uuid, heavy)
    XCTAssertEqual(try titles(moved.memberIDs("tags")), ["a", "b", "c"].map { .string($0) })
    try await assertSound(store)
    try await store.close()
  }
}
