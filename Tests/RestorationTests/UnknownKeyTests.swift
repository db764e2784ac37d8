import RepriseRestoration
import XCTest

/// A state written by a newer version of the program passes through an older one without loss.
final class UnknownKeyTests: XCTestCase {
  private struct Newer: Codable, Equatable {
    var search = "chair"
    var topRow: String? = "row"
    var added = [1, 2]
    var panel = Panel()
    var panels = ["left": Panel(), "right": Panel()]
    var list = [Panel()]

    struct Panel: Codable, Equatable {
      var width = 100
      var pinned = true
    }
  }

  private struct Older: Codable, Equatable {
    var search = ""
    var topRow: String?
    var panel: Panel?
    var panels: [String: Panel] = [:]
    var list: [Panel] = []

    struct Panel: Codable, Equatable { var width = 0 }
  }

  private func passThroughOlder(_ state: Newer, _ change: (inout Older) -> Void) throws -> [UInt8] {
    var read = try StateDecoder.decode(Older.self, from: StateEncoder.encode(state))
    change(&read.state)
    return try StateEncoder.encode(read.state, keeping: read.unknown)
  }

  func testWhatTheProgramDoesNotKnowSurvivesItsChange() throws {
    let bytes = try passThroughOlder(Newer()) { $0.search = "table" }
    struct Seen: Codable {
      var search: String
      var added: [Int]
      var panel: Newer.Panel
      var panels: [String: Newer.Panel]
    }
    let seen = try StateDecoder.decode(Seen.self, from: bytes).state
    XCTAssertEqual(seen.search, "table")
    XCTAssertEqual(seen.added, [1, 2])
    XCTAssertEqual(seen.panel, Newer.Panel())
    XCTAssertEqual(seen.panels, ["left": Newer.Panel(), "right": Newer.Panel()])
  }

  func testAnUnchangedStateOfAnUnknownFutureGivesTheSameBytes() throws {
    struct Future: Codable { var search = "x", zoom = 2.0, marks = ["a": ["b": [1, 2]]] }
    struct Present: Codable { var search = "" }
    let bytes = try StateEncoder.encode(Future())
    let read = try StateDecoder.decode(Present.self, from: bytes)
    let once = try StateEncoder.encode(read.state, keeping: read.unknown)
    let again = try StateDecoder.decode(Present.self, from: once)
    XCTAssertEqual(try StateEncoder.encode(again.state, keeping: again.unknown), once)
    let future = try StateDecoder.decode(Future.self, from: once).state
    XCTAssertEqual(future.zoom, 2)
    XCTAssertEqual(future.marks, ["a": ["b": [1, 2]]])
  }

  func testAKnownValueThatBecameNilDoesNotComeBack() throws {
    let bytes = try passThroughOlder(Newer()) {
      $0.topRow = nil
      $0.panel = nil
      $0.panels["left"] = nil
    }
    let read = try StateDecoder.decode(Older.self, from: bytes).state
    XCTAssertNil(read.topRow)
    XCTAssertNil(read.panel)
    XCTAssertEqual(Set(read.panels.keys), ["right"])
  }

  func testAnEarlierCaseOfAnEnumDoesNotComeBack() throws {
    let read = try StateDecoder.decode(Filter.self, from: StateEncoder.encode(Filter.named("x", limit: 3)))
    let bytes = try StateEncoder.encode(Filter.all, keeping: read.unknown)
    XCTAssertEqual(try StateDecoder.decode(Filter.self, from: bytes).state, .all)
  }

  func testAStateWithoutPropertiesKeepsAllThatItDoesNotKnow() throws {
    let read = try StateDecoder.decode(Nothing.self, from: StateEncoder.encode(SmallState()))
    let bytes = try StateEncoder.encode(read.state, keeping: read.unknown)
    XCTAssertEqual(try StateDecoder.decode(SmallState.self, from: bytes).state, SmallState())
  }

  func testMoreThanSixtyFourKnownKeysAreStillTold() throws {
    var many: [String: Int] = [:]
    for index in 0..<200 { many["key \(index)"] = index }
    let read = try StateDecoder.decode([String: Int].self, from: StateEncoder.encode(many))
    XCTAssertNil(read.unknown)
    let bytes = try StateEncoder.encode(["key 1": 1], keeping: read.unknown)
    XCTAssertEqual(try StateDecoder.decode([String: Int].self, from: bytes).state, ["key 1": 1])
  }
}
