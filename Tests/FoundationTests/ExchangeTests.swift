import Foundation
import RepriseEventStore
import RepriseFoundation
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

/// Objects to JSON and back: nothing is lost, and what is wrong is told with its place before anything changes.
final class ExchangeTests: XCTestCase {
  private func withStore(_ body: (Store) async throws -> Void) async throws {
    let path = NSTemporaryDirectory() + "reprise-exchange-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let store = try await Store.open(path, for: Schema(Item.self, Person.self))
    try await body(store)
    try await store.close()
  }

  private func error(_ body: () throws -> Void) -> ExchangeError? {
    do {
      try body()
      return nil
    } catch {
      XCTAssertTrue(error is ExchangeError, "\(error)")
      return error as? ExchangeError
    }
  }

  private func data(_ text: String) -> Data { Data(text.utf8) }

  private let whole = PropertySelection.attributes.nesting("items").ids("boss")

  func testAnObjectComesBackAsItWasWithWhatItIsRelatedTo() async throws {
    var json = Data()
    try await withStore { store in
      let context = RootContext(store)
      let person = context.insert(Person(name: "Ada \"é\" \u{1F600}", zip: -3))
      for number in 0..<3 {
        let item = context.insert(Item(name: "i\(number)", valueInDollars: number))
        item.owner = person
        item.weight = number == 0 ? nil : 0.1 + Double(number)
        item.photo = number == 1 ? [0, 255] : nil
        item.condition = .broken
      }
      json = try person.json(whole)
      let text = String(decoding: json, as: UTF8.self)
      XCTAssertTrue(text.contains("\"condition\":\"broken\""), text)
      XCTAssertTrue(text.contains("\"id\":\"Person\\/") || text.contains("\"id\":\"Person/"), text)
      XCTAssertFalse(text.contains("null"), text)
      try await context.save()
      let id = person.id
      let again = error { try context.insert(Person.self, json: json, properties: whole) }
      XCTAssertEqual(again, .exists(id.any, path: ""))
    }
    try await withStore { store in
      let context = RootContext(store)
      let person = try context.insert(Person.self, json: json, properties: whole)
      XCTAssertEqual(person.zip, -3)
      XCTAssertEqual(person.items.map(\.name), ["i0", "i1", "i2"])
      XCTAssertEqual(person.items.map(\.weight), [nil, 1.1, 2.1])
      XCTAssertEqual(person.items.map(\.photo), [nil, [0, 255], nil])
      XCTAssertEqual(person.items.first?.condition, .broken)
      XCTAssertEqual(try person.json(whole), json)
      context.undo()
      XCTAssertFalse(context.hasChanges)
      context.redo()
      try await context.save()
      XCTAssertEqual(try RootContext(store).fetch(Fetch<Item>()).count, 3)
    }
  }

  func testAFormChoosesWhatGoesAlong() async throws {
    try await withStore { store in
      let context = RootContext(store)
      let person = context.insert(Person(name: "Ada"))
      let item = context.insert(Item(name: "chair", valueInDollars: 5))
      item.owner = person
      func text(_ selection: PropertySelection) throws -> String {
        String(decoding: try item.json(selection), as: UTF8.self)
      }
      XCTAssertEqual(
        try text(.only("name").ids("owner")).replacing("\\/", with: "/"),
        #"{"id":"\#(item.id)","name":"chair","owner":"\#(person.id)"}"#)
      XCTAssertEqual(
        try text(.only().nesting("owner", .only("name").ids("items"))).replacing("\\/", with: "/"),
        #"{"id":"\#(item.id)","owner":{"id":"\#(person.id)","items":["\#(item.id)"],"name":"Ada"}}"#)
      XCTAssertEqual(error { _ = try text(.only("nam")) }, .unknownProperty("nam", entity: "Item"))
      XCTAssertEqual(error { _ = try text(.attributes.ids("name")) }, .unknownProperty("name", entity: "Item"))
      item.weight = .nan
      XCTAssertEqual(
        error { _ = try text(.attributes) }.map { if case .wrongType("weight", _) = $0 { true } else { false } }, true)
    }
  }

  func testWhatIsWrongIsToldWithItsPathAndChangesNothing() async throws {
    try await withStore { store in
      let context = RootContext(store)
      let known = context.insert(Person(name: "Ada"))
      try await context.save()
      func refused(_ text: String) -> ExchangeError? {
        let found = error { try context.insert(Person.self, json: data(text), properties: whole) }
        XCTAssertFalse(context.hasChanges, text)
        XCTAssertFalse(context.canUndo, text)
        return found
      }
      func isWrongType(_ error: ExchangeError?, _ path: String) -> Bool {
        if case .wrongType(path, let reason)? = error { return !reason.isEmpty }
        return false
      }
      let item = #""name":"i","valueInDollars":1,"condition":"good","isInsured":false"#
      XCTAssertEqual(refused(#"{"name":"B","zip":1,"nmae":2}"#), .unknownKey(path: "nmae"))
      XCTAssertEqual(refused(#"{"name":"B"}"#), .missingKey(path: "zip"))
      XCTAssertEqual(
        refused(#"{"name":null,"zip":1}"#), .wrongType(path: "name", reason: "it is null, and not a text"))
      XCTAssertEqual(refused(#"{"name":"B","zip":"1"}"#), .wrongType(path: "zip", reason: "it is not an integer"))
      XCTAssertEqual(refused("[]"), .wrongType(path: "", reason: "it is not an object"))
      XCTAssertEqual(
        refused(#"{"name":"B","zip":99999999999999999999}"#),
        .wrongType(path: "zip", reason: "it cannot be read as Int"))
      XCTAssertTrue(isWrongType(refused(#"{"name":"B","zip":1,"items":{}}"#), "items"))
      XCTAssertTrue(isWrongType(refused(#"{"name":"B","zip":1,"items":[{\#(item)},7]}"#), "items[1]"))
      XCTAssertEqual(
        refused(#"{"name":"B","zip":1,"items":[{\#(item)},{\#(item),"x":1}]}"#), .unknownKey(path: "items[1].x"))
      XCTAssertEqual(
        refused(#"{"name":"B","zip":1,"items":[{"name":"i"}]}"#), .missingKey(path: "items[0].valueInDollars"))
      let odd = item.replacing("good", with: "odd")
      XCTAssertEqual(
        refused(#"{"name":"B","zip":1,"items":[{\#(odd)}]}"#),
        .wrongType(path: "items[0].condition", reason: "Cannot initialize ItemCondition from invalid String value odd"))
      let stranger = "Item/\(UniqueID())"
      XCTAssertEqual(
        refused(#"{"name":"B","zip":1,"items":[{"id":"\#(stranger)"}]}"#), .missingKey(path: "items[0].name"))
      let nobody = "Person/\(UniqueID())"
      guard case .missingTarget(let id, path: "boss")? = refused(#"{"name":"B","zip":1,"boss":"\#(nobody)"}"#) else {
        return XCTFail("it was inserted")
      }
      XCTAssertEqual("\(id)", nobody)
      XCTAssertEqual(
        refused(#"{"name":"B","zip":1,"boss":"\#(stranger)"}"#),
        .wrongType(path: "boss", reason: "\(stranger) is not an object of Person"))
      XCTAssertEqual(
        refused(#"{"id":"\#(stranger)","name":"B","zip":1}"#),
        .wrongType(path: "id", reason: "\(stranger) is not an object of Person"))
      XCTAssertEqual(
        refused(#"{"id":"nothing","name":"B","zip":1}"#),
        .wrongType(path: "id", reason: "'nothing' is not an object ID"))
      XCTAssertTrue(isWrongType(refused(#"{"id":7,"name":"B","zip":1}"#), "id"))
      guard case .malformed? = refused("{") else { return XCTFail("it was inserted") }
      XCTAssertTrue(isWrongType(refused("[]"), ""))
      XCTAssertEqual(
        error { try context.insertAll(Person.self, json: data(#"[{"name":"B","zip":1},{"name":"C"}]"#)) },
        .missingKey(path: "[1].zip"))
      XCTAssertFalse(context.hasChanges)
      XCTAssertEqual(
        try context.insertAll(Person.self, json: data(#"[{"name":"B","zip":1},{"name":"C","zip":2}]"#)).count, 2)
      XCTAssertEqual(known.name, "Ada")
    }
  }

  func testAnUpdateLeavesWhatIsNotThere() async throws {
    try await withStore { store in
      let context = RootContext(store)
      let person = context.insert(Person(name: "Ada", zip: 4))
      let items = (0..<3).map { context.insert(Item(name: "i\($0)")) }
      for item in items { item.owner = person }
      let boss = context.insert(Person(name: "Boss"))
      person.boss = boss
      try await context.save()
      try context.update(person, json: data(#"{"name":"Bea"}"#), properties: whole)
      XCTAssertEqual(person.name, "Bea")
      XCTAssertEqual(person.zip, 4)
      XCTAssertEqual(person.boss, boss)
      XCTAssertEqual(person.items.count, 3)
      let new = #"{"name":"new","valueInDollars":1,"condition":"good","isInsured":true}"#
      try context.update(
        person,
        json: data(#"{"boss":null,"items":[{"id":"\#(items[1].id)","name":"changed"},\#(new)]}"#), properties: whole)
      XCTAssertNil(person.boss)
      XCTAssertEqual(person.items.map(\.name), ["changed", "new"])
      XCTAssertEqual(person.items.first, items[1])
      XCTAssertNil(items[0].owner)
      context.undo()
      XCTAssertEqual(person.items.count, 3)
      XCTAssertEqual(items[1].name, "i1")
      let other = #"{"id":"\#(boss.id)"}"#
      XCTAssertEqual(
        error { try context.update(person, json: data(other)) },
        .wrongType(path: "id", reason: "it is \(boss.id), but the update is for \(person.id)"))
    }
  }

  func testOrderedMembersComeBackInTheirOrderAndOnlyWhatMovedChanges() async throws {
    let path = NSTemporaryDirectory() + "reprise-exchange-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let store = try await Store.open(path, for: Schema(Album.self, Song.self, Playlist.self))
    let context = RootContext(store)
    let album = context.insert(Album("a"))
    album.songs = OrderedToMany((0..<5).map { Song("s\($0)") })
    try await context.save()
    let selection = PropertySelection.attributes.nesting("songs")
    let before = try album.json(selection)
    try context.update(album, json: before, properties: selection)
    XCTAssertFalse(context.hasChanges)
    let ids = album.songs.map(\.id)
    let moved = [ids[1], ids[2], ids[3], ids[4], ids[0], ids[1]].map { "\"\($0)\"" }.joined(separator: ",")
    try context.update(album, json: data("{\"songs\":[\(moved)]}"), properties: .attributes.ids("songs"))
    XCTAssertEqual(album.songs.map(\.name), ["s1", "s2", "s3", "s4", "s0"])
    XCTAssertEqual(context.changes.updated.filter { $0.entity == "Song" }, [ids[0].any])
    context.undo()
    XCTAssertEqual(try album.json(selection), before)
    context.delete(album)
    for id in ids { context.delete(try context.object(id)) }
    let again = try context.insert(Album.self, json: before, properties: selection)
    XCTAssertTrue(again === album)
    XCTAssertEqual(again.songs.map(\.id), ids)
    XCTAssertEqual(again.songs.map(\.name), ["s0", "s1", "s2", "s3", "s4"])
    try await context.save()
    try await store.close()
  }

  func testADecoderWithoutAnExpectationIsRefused() {
    XCTAssertEqual(
      error { _ = try JSONDecoder().decode(DecodedObject.self, from: data("{}")) },
      .malformed(reason: "the decoder's `userInfo` does not have the model to decode"))
  }

  func testAnyDecoderAndEncoderWillDo() async throws {
    struct Envelope: Encodable {
      let person: Person
      func encode(to encoder: any Encoder) throws { try person.encode(.only("name"), to: encoder) }
    }
    try await withStore { store in
      let context = RootContext(store)
      let person = context.insert(Person(name: "Ada"))
      let encoder = PropertyListEncoder()
      encoder.outputFormat = .xml
      let list = String(decoding: try encoder.encode(Envelope(person: person)), as: UTF8.self)
      XCTAssertTrue(list.contains("<string>Ada</string>"), list)
    }
  }
}
