import RepriseRestoration
import XCTest

/// One reader for state after state: none sees anything of another.
@MainActor final class StateDecoderTests: XCTestCase {
  private struct Named: Codable, Equatable { var name: String }
  private struct Newer: Codable, Equatable {
    var name: String
    var added: Int
  }

  /// Reads another state with the reader that reads it.
  private struct Nesting: Codable, Equatable {
    var name: String
    var inner: Named

    @MainActor static var decoder = StateDecoder()
    @MainActor static var innerBytes: [UInt8] = []

    init(name: String, inner: Named) { (self.name, self.inner) = (name, inner) }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      inner = try MainActor.assumeIsolated {
        var unknown: UnknownKeys?
        return try Self.decoder.decode(Named.self, from: Self.innerBytes[...], unknown: &unknown)
      }
      name = try container.decode(String.self, forKey: .name)
    }
  }

  private struct Kept: Decodable {
    let container: KeyedDecodingContainer<Key>

    enum Key: CodingKey { case name }

    init(from decoder: any Decoder) throws { container = try decoder.container(keyedBy: Key.self) }
  }

  private struct Failing: Decodable {
    struct Failure: Error {}

    init(from decoder: any Decoder) throws {
      _ = try decoder.container(keyedBy: Kept.Key.self).decode(String.self, forKey: .name)
      throw Failure()
    }
  }

  func testUnknownKeysAreTheStatesOwnAlsoWhereItsInitialiserReadsAnotherState() async throws {
    struct NewerNesting: Codable, Equatable { var name = "outer", inner = Named(name: ""), more = 5 }
    Nesting.innerBytes = try StateEncoder.encode(Newer(name: "inner", added: 7))
    let bytes = try StateEncoder.encode(NewerNesting())
    var unknown: UnknownKeys?
    var state = try Nesting.decoder.decode(Nesting.self, from: bytes[...], unknown: &unknown)
    XCTAssertEqual(state, Nesting(name: "outer", inner: Named(name: "inner")))
    state.inner.name = ""
    let again = try StateEncoder.encode(state, keeping: unknown)
    XCTAssertEqual(try StateDecoder.decode(NewerNesting.self, from: again).state, NewerNesting())
    XCTAssertThrowsError(try StateDecoder.decode(Newer.self, from: again), "the inner state's key is in the outer one")
  }

  func testWhatATypeKeepsOfItsReaderReadsItsOwnStateLater() async throws {
    let decoder = StateDecoder()
    var unknown: UnknownKeys?
    let first = try StateEncoder.encode(Newer(name: "first", added: 1))
    let second = try StateEncoder.encode(Newer(name: "the second, which is longer", added: 2))
    let kept = try decoder.decode(Kept.self, from: first[...], unknown: &unknown)
    let named = try decoder.decode(Named.self, from: second[...], unknown: &unknown)
    XCTAssertEqual(named.name, "the second, which is longer")
    XCTAssertEqual(try kept.container.decode(String.self, forKey: .name), "first")
    let again = try StateEncoder.encode(named, keeping: unknown)
    XCTAssertEqual(try StateDecoder.decode(Newer.self, from: again).state.added, 2)
  }

  func testAStateThatFailsHalfWayLeavesNothingBehind() async throws {
    let decoder = StateDecoder()
    var unknown: UnknownKeys?
    let bytes = try StateEncoder.encode(Newer(name: "one", added: 1))
    XCTAssertThrowsError(try decoder.decode(Failing.self, from: bytes[...], unknown: &unknown))
    XCTAssertThrowsError(try decoder.decode(Newer.self, from: bytes.dropLast(), unknown: &unknown))
    XCTAssertNil(unknown)
    XCTAssertEqual(
      try decoder.decode(Newer.self, from: bytes[...], unknown: &unknown), Newer(name: "one", added: 1))
    XCTAssertNil(unknown)
  }
}
