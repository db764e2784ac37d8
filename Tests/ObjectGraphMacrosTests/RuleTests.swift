import Foundation
import Reprise
import XCTest

#if Macros
private enum Colour: String, AttributeValue { case red, green }

@Model private final class Traveller: ValidatableModel {
  @Attribute(.length(1...10), .pattern("[A-Z][a-z]*")) var first: String
  @Attribute(.valid("a name does not begin with a space") { (name: String) in name.first != " " }) var last: String
  @Attribute(.range(0...120), .counter) var age: Int?
  @Attribute(.range(0...1)) var share: Double = 0.5
  @Attribute(.allowedValues(Colour.red)) var colour: Colour = .red
  @Attribute(.valid("it is even", Traveller.isEven), .indexed) var seat: Int = 0
  @Attribute(.derived, .indexed, .searchable, .length(...20)) var fullName: String { "\(first) \(last)" }
  @Attribute(.derived) private var initial: String? { first.first.map(String.init) }
  var begins: Date
  var ends: Date
  @Relationship(inverse: \Journey.travellers) var journey: Journey?

  init(_ first: String, _ last: String) {
    self.first = first
    self.last = last
    begins = Date(timeIntervalSinceReferenceDate: 0)
    ends = Date(timeIntervalSinceReferenceDate: 0)
  }

  static func isEven(_ number: Int) -> Bool { number.isMultiple(of: 2) }

  func validate(_ violations: inout Violations<Traveller>) {
    if ends < begins { violations.add("ends before it begins", \.begins, \.ends) }
  }
}

@Model private final class Journey {
  var name: String = ""
  var photo: Data?
  var tags: Set<String> = []
  var travellers: ToMany<Traveller>
}

/// Rules and derived attributes as `@Model` declares them, and snapshots as other programs read them.
final class RuleTests: XCTestCase {
  private func withStore(_ body: (Store) async throws -> Void) async throws {
    let path = NSTemporaryDirectory() + "reprise-rules-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let store = try await Store.open(path, for: Traveller.self, Journey.self)
    try await body(store)
    try await store.close()
  }

  func testTheMacroPassesRulesOn() {
    XCTAssertEqual(
      Traveller.entity.attributes.map(\.rules),
      [
        [.length("1...10"), .pattern("[A-Z][a-z]*")], [.valid("a name does not begin with a space")],
        [.range("0...120")], [.range("0.0...1.0")], [.allowedValues([.string("red")])], [.valid("it is even")],
        [.length("...20")], [], [], [],
      ])
    XCTAssertEqual(Traveller.entity.attributes.filter(\.isDerived).map(\.name), ["fullName", "initial"])
  }

  func testWhatTheMacroDeclaresIsHeld() async throws {
    try await withStore { store in
      let context = RootContext(store)
      let traveller = context.insert(Traveller("ada", " Byron"))
      (traveller.age, traveller.share, traveller.colour, traveller.seat) = (-1, 1.5, .green, 3)
      traveller.begins = Date(timeIntervalSinceReferenceDate: 10)
      do {
        try await context.save()
        XCTFail("it was saved")
      } catch SaveError.refused(let refusal) {
        XCTAssertEqual(
          refusal.violations.map(\.properties),
          [["first"], ["last"], ["age"], ["share"], ["colour"], ["seat"], ["begins", "ends"]])
      }
      (traveller.first, traveller.last, traveller.age, traveller.share) = ("Ada", "Byron", nil, 1)
      (traveller.colour, traveller.seat, traveller.ends) = (.red, 4, traveller.begins)
      try await context.save()
      XCTAssertEqual(try context.fetch(Fetch<Traveller> { $0.fullName == "Ada Byron" }), [traveller])
      XCTAssertEqual(try context.fetch(Fetch<Traveller> { $0.fullName.contains(words: "byron") }), [traveller])
      XCTAssertEqual(try context.fetch(Fetch<Traveller>(#Predicate { $0.fullName == "Ada Byron" })), [traveller])
      traveller.last = "King"
      XCTAssertEqual(try context.fetch(Fetch<Traveller> { $0.fullName.contains(words: "king") }), [traveller])
      XCTAssertEqual(traveller.snapshot.fullName, "Ada King")
    }
  }

  func testASnapshotIsTheSameAfterJSON() async throws {
    try await withStore { store in
      let context = RootContext(store)
      let traveller = context.insert(Traveller("Ada", "Byron"))
      traveller.begins = Date(timeIntervalSinceReferenceDate: 1.25)
      let journey = Journey()
      journey.photo = Data([1, 2])
      journey.tags = ["a", "b"]
      traveller.journey = journey
      let data = try JSONEncoder().encode(traveller.snapshot)
      let read = try JSONDecoder().decode(Traveller.Snapshot.self, from: data)
      XCTAssertEqual(read.id, traveller.id)
      XCTAssertEqual(read.first, "Ada")
      XCTAssertNil(read.age)
      XCTAssertEqual(read.colour, .red)
      XCTAssertEqual(read.begins, traveller.begins)
      XCTAssertEqual(read.fullName, "Ada Byron")
      XCTAssertEqual(read.journey, journey.id)
      let encoder = JSONEncoder()
      encoder.dateEncodingStrategy = .iso8601
      let text = String(decoding: try encoder.encode(traveller.snapshot), as: UTF8.self)
      XCTAssertTrue(text.contains("2001-01-01T00:00:01Z"), text)
      XCTAssertTrue(text.contains("\"colour\":\"red\""), text)
      let other = try JSONDecoder().decode(Journey.Snapshot.self, from: JSONEncoder().encode(journey.snapshot))
      XCTAssertEqual(other.photo, Data([1, 2]))
      XCTAssertEqual(other.tags, ["a", "b"])
      // What is derived goes along, and is computed where it arrives.
      let json = String(decoding: try traveller.json(), as: UTF8.self)
      XCTAssertTrue(json.contains("\"fullName\":\"Ada Byron\""), json)
      context.discard()
      let changed = json.replacing("\"Byron\"", with: "\"King\"")
      XCTAssertEqual(try context.insert(Traveller.self, json: Data(changed.utf8)).fullName, "Ada King")
      for broken in [#"{"id":"\#(traveller.id)"}"#, #"{"id":"\#(journey.id)","first":"x"}"#] {
        XCTAssertThrowsError(try JSONDecoder().decode(Traveller.Snapshot.self, from: Data(broken.utf8)))
      }
      XCTAssertThrowsError(
        try JSONDecoder().decode(
          Traveller.Snapshot.self,
          from: Data(String(decoding: data, as: UTF8.self).replacing("\"red\"", with: "\"pink\"").utf8)))
    }
  }
}
#endif
