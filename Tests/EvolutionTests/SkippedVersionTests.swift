import RepriseCore
import RepriseEventStore
import RepriseObjectModel
import XCTest

/// A store that skipped versions comes to the same as one that had each of them: the plan leads it, with the models of
/// the last version alone.
final class SkippedVersionTests: XCTestCase {
  private let test = ShapedStore()

  private let out = Migration(
    to: 1, "Addresses", mapping: [.extract("Address", from: "Person", as: "address", moving: ["street"])])

  private func fill() async throws {
    let whole = ShapeA.named("Person", .attribute("name", String.self), .attribute("street", String.self))
    let store = try await test.open(whole)
    let context = RootContext(store)
    for number in 1...3 { context.insert(ShapeA(["name": "p\(number)", "street": "s\(number)"])) }
    try await context.save()
    try await store.close()
  }

  func testWhatIsExtractedMayBeMovedLater() async throws {
    try await fill()
    let move = Migration(
      to: 2, "Humans", mapping: [.move("Person", to: "Human", renaming: ["address": "home", "name": "called"])])
    let human = ShapeC.named("Human", .attribute("called", String.self), .toOne("home", ShapeD.self, inverse: "human"))
    let address = ShapeD.named("Address", .attribute("street", String.self), .toOne("human", ShapeC.self))
    let store = try await test.open([human, address], [out, move])
    let context = RootContext(store)
    for human in try context.fetch(Fetch<ShapeC>()) {
      guard case .string(let name) = human["called"] else { return XCTFail("no name") }
      let home = try XCTUnwrap(human.target("home"), name)
      XCTAssertEqual(try context.object(ShapeD.ID(uuid: home))["street"], .string("s\(name.dropFirst())"))
    }
    XCTAssertEqual(try context.count(Fetch<ShapeC>()), 3)
    XCTAssertEqual(store.warnings, [])
    try await assertSound(store)
    try await store.close()
  }

  func testAnExtractedPartMayBeMovedLater() async throws {
    try await fill()
    let move = Migration(to: 2, "Places", mapping: [.move("Address", to: "Place", renaming: ["street": "road"])])
    let person = ShapeC.named("Person", .attribute("name", String.self), .toOne("address", ShapeD.self, inverse: "of"))
    let place = ShapeD.named("Place", .attribute("road", String.self), .toOne("of", ShapeC.self))
    let store = try await test.open([person, place], [out, move])
    let context = RootContext(store)
    for person in try context.fetch(Fetch<ShapeC>()) {
      guard case .string(let name) = person["name"] else { return XCTFail("no name") }
      let part = try XCTUnwrap(person.target("address"), name)
      XCTAssertEqual(try context.object(ShapeD.ID(uuid: part))["road"], .string("s\(name.dropFirst())"))
    }
    XCTAssertEqual(try context.count(Fetch<ShapeD>()), 3)
    try await assertSound(store)
    try await store.close()
  }

  func testWhatIsExtractedMayBeInlinedLater() async throws {
    try await fill()
    let back = Migration(to: 2, "No addresses", mapping: [.inline("Address", into: "Person", through: "address")])
    let person = ShapeC.named("Person", .attribute("name", String.self), .attribute("street", String.self))
    let store = try await test.open([person], [out, back])
    let streets = try RootContext(store).fetch(Fetch<ShapeC>()).map { $0["street"] }
    XCTAssertEqual(streets, (1...3).map { .string("s\($0)") })
    try await assertSound(store)
    try await store.close()
  }

  /// A later step needs an attribute that the last models have in another entity.
  func testWhatIsMovedKeepsWhatALaterStepNeeds() async throws {
    try await fill()
    let move = Migration(to: 1, "Humans", mapping: [.move("Person", to: "Human")])
    let later = Migration(
      to: 2, "Addresses",
      mapping: [
        .extract(
          "Address", from: "Human", as: "address", moving: ["street"],
          setting: [.init("label", String.self) { "\($0.value("name", as: String.self) ?? "")'s" }])
      ])
    let human = ShapeC.named("Human", .toOne("address", ShapeD.self, inverse: "human"))
    let address = ShapeD.named(
      "Address", .attribute("street", String.self), .attribute("label", String.self), .toOne("human", ShapeC.self))
    let store = try await test.open([human, address], [move, later])
    let found = try RootContext(store).fetch(Fetch<ShapeD>()).map { "\($0["street"]) \($0["label"])" }
    XCTAssertEqual(
      Set(found), Set((1...3).map { "\(PropertyValue.string("s\($0)")) \(PropertyValue.string("p\($0)'s"))" }))
    try await assertSound(store)
    try await store.close()
  }
}
