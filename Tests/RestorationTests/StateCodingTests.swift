import RepriseRestoration
import XCTest

final class StateCodingTests: XCTestCase {
  private func roundTrip<State: Codable>(_ state: State) throws -> State {
    try StateDecoder.decode(State.self, from: StateEncoder.encode(state)).state
  }

  func testNoKindOfValueIsLostOnTheWay() throws {
    XCTAssertEqual(try roundTrip(Everything()), Everything())
    XCTAssertTrue(try roundTrip(Double.nan).isNaN)
    XCTAssertEqual(try roundTrip("alone"), "alone")
    XCTAssertEqual(try roundTrip(Int?.none), nil)
    XCTAssertEqual(try roundTrip([Filter.all]), [.all])
    XCTAssertEqual(try roundTrip(Nothing()), Nothing())
    XCTAssertEqual(try roundTrip([Nothing(), Nothing()]).count, 2)
  }

  func testASubclassKeepsThePartOfItsSuperclass() throws {
    let state = Derived()
    state.name = "other"
    state.count = 5
    let read = try roundTrip(state)
    XCTAssertEqual(read.name, "other")
    XCTAssertEqual(read.count, 5)
  }

  func testAListOfBytesTakesNoMoreThanItsBytes() throws {
    let bytes = [UInt8](repeating: 200, count: 1_000)
    XCTAssertLessThan(try StateEncoder.encode(bytes).count, 1_010)
    XCTAssertLessThan(try StateEncoder.encode(["photo": bytes]).count, 1_020)
    // Through a type that writes and reads them one by one, as `Data` does.
    struct Blob: Codable, Equatable {
      var bytes: [UInt8]
      init(_ bytes: [UInt8]) { self.bytes = bytes }
      init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        bytes = []
        while !container.isAtEnd { bytes.append(try container.decode(UInt8.self)) }
      }
      func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for byte in bytes { try container.encode(byte) }
      }
    }
    XCTAssertLessThan(try StateEncoder.encode(Blob(bytes)).count, 1_010)
    XCTAssertEqual(try roundTrip(Blob(bytes)), Blob(bytes))
    XCTAssertEqual(
      try StateDecoder.decode([Int].self, from: StateEncoder.encode([UInt8](0...255))).state, Array(0...255))
  }

  func testAListThatBeginsWithBytesMayGoOnWithOtherThings() throws {
    struct Mixed: Encodable {
      func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try container.encode(UInt8(1))
        try container.encode(UInt8(200))
        try container.encode(300)
        try container.encode(UInt8(4))
      }
    }
    XCTAssertEqual(try StateDecoder.decode([Int].self, from: StateEncoder.encode(Mixed())).state, [1, 200, 300, 4])
  }

  func testEqualValuesHaveEqualBytesWhateverTheOrderOfADictionary() throws {
    let keys = (0..<200).map { "key \($0)" }
    var forward: [String: Int] = [:]
    var backward: [String: Int] = [:]
    for (index, key) in keys.enumerated() { forward[key] = index }
    for (index, key) in keys.enumerated().reversed() { backward[key] = index }
    XCTAssertTrue(try StateEncoder.encode(forward) == StateEncoder.encode(backward))
    XCTAssertEqual(try roundTrip(forward), forward)
  }

  func testAValueWrittenTwiceUnderOneKeyIsTheLaterOne() throws {
    struct Twice: Encodable {
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(1, forKey: .value)
        try container.encode(2, forKey: .value)
      }
      enum Key: CodingKey { case value }
    }
    XCTAssertEqual(try StateDecoder.decode([String: Int].self, from: StateEncoder.encode(Twice())).state, ["value": 2])
  }

  /// The bytes are on disks: they may be added to, and never change their meaning.
  func testTheFormatIsTheOneThatIsOnDisks() throws {
    struct State: Codable { var name = "a", count = -2, on = true, more: [Int?] = [5, nil, 200] }
    let bytes: [UInt8] = [
      1, 4, 5, 0x63, 0x6F, 0x75, 0x6E, 0x74, 4, 0x6D, 0x6F, 0x72, 0x65, 4, 0x6E, 0x61, 0x6D, 0x65, 2, 0x6F, 0x6E,
      12, 19, 4, 0, 4, 1, 1, 11, 6, 3, 0x85, 0, 3, 0xC8, 0x01, 2, 9, 1, 0x61, 3, 2,
    ]
    XCTAssertEqual(try StateEncoder.encode(State()), bytes)
    let read = try StateDecoder.decode(State.self, from: bytes).state
    XCTAssertEqual(read.name, "a")
    XCTAssertEqual(read.count, -2)
    XCTAssertEqual(read.more, [5, nil, 200])
  }

  func testAWholeNumberReadsAsAFractionAndNeverTheOtherWay() throws {
    XCTAssertEqual(try StateDecoder.decode(Double.self, from: StateEncoder.encode(-3)).state, -3)
    XCTAssertEqual(try StateDecoder.decode(Float.self, from: StateEncoder.encode(0.5)).state, 0.5)
    assertThrows(
      "a whole number in the range of Int was expected, but a floating-point number was found",
      try StateDecoder.decode(Int.self, from: StateEncoder.encode(1.5)))
    assertThrows(
      "a whole number in the range of Int8 was expected, but a whole number was found",
      try StateDecoder.decode(Int8.self, from: StateEncoder.encode(128)))
    assertThrows(
      "a number with the precision of Float was expected, but a text was found",
      try StateDecoder.decode(Float.self, from: StateEncoder.encode("0.5")))
    assertThrows(
      "a text was expected, but a keyed value was found",
      try StateDecoder.decode(String.self, from: StateEncoder.encode(["a": 1])))
    assertThrows(
      "the list has no element 2", try StateDecoder.decode(Pair.self, from: StateEncoder.encode([1])))
    XCTAssertThrowsError(try StateDecoder.decode(UInt.self, from: StateEncoder.encode(-1)))
    XCTAssertThrowsError(try StateDecoder.decode(Int128.self, from: StateEncoder.encode(UInt128.max)))
  }

  private struct Pair: Decodable {
    init(from decoder: any Decoder) throws {
      var list = try decoder.unkeyedContainer()
      for _ in 0..<2 { _ = try list.decode(Int.self) }
    }
  }

  func testAnErrorSaysWhereAndWhat() throws {
    struct Outer: Codable { var rows: [SmallState] }
    let bytes = try StateEncoder.encode(["rows": [["search": 1]]])
    XCTAssertThrowsError(try StateDecoder.decode(Outer.self, from: bytes)) { error in
      let text = (error as? StateCodingError)?.description ?? ""
      XCTAssertEqual(text, "rows.[0].search: a text was expected, but a whole number was found")
    }
    XCTAssertThrowsError(try StateDecoder.decode(Outer.self, from: StateEncoder.encode(Nothing()))) { error in
      XCTAssertEqual((error as? StateCodingError)?.description, "there is no value for 'rows'")
    }
  }

  func testTypesThatAskWhereTheyAreAreTold() throws {
    struct Place: Codable {
      var decoded = ""
      init() {}
      init(from decoder: any Decoder) throws {
        decoded = decoder.codingPath.map(\.stringValue).joined(separator: "/")
      }
      func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(encoder.codingPath.map(\.stringValue).joined(separator: "/"))
      }
    }
    let bytes = try StateEncoder.encode(["a": ["b": [Place(), Place()]]])
    XCTAssertEqual(
      try StateDecoder.decode([String: [String: [String]]].self, from: bytes).state, ["a": ["b": ["a/b/0", "a/b/1"]]])
    let read = try StateDecoder.decode([String: [String: [Place]]].self, from: bytes).state
    XCTAssertEqual(read["a"]?["b"]?.map(\.decoded), ["a/b/0", "a/b/1"])
  }
}

final class StateCodingLimitTests: XCTestCase {
  func testTooDeepAStateIsRefusedBeforeTheStackIsUsedUp() throws {
    XCTAssertNoThrow(try StateDecoder.decode(Nested.self, from: StateEncoder.encode(Nested.deep(64))))
    XCTAssertThrowsError(try StateEncoder.encode(Nested.deep(65))) { error in
      guard case .tooDeep(limit: 64)? = error as? StateCodingError else { return XCTFail("\(error)") }
    }
    let endless = Nested(depth: 1)
    endless.inner = endless
    XCTAssertThrowsError(try StateEncoder.encode(endless))
    endless.inner = nil
  }

  func testBytesThatNestTooDeepAreRefusedBeforeTheStackIsUsedUp() {
    // Lists of one list each, a hundred thousand deep.
    var bytes: [UInt8] = [0]
    for _ in 0..<1_000 {
      var length: [UInt8] = []
      var rest = bytes.count + 1
      while rest >= 0x80 {
        length.append(UInt8(rest & 0x7F) | 0x80)
        rest >>= 7
      }
      length.append(UInt8(rest))
      bytes = [11] + length + [1] + bytes
    }
    XCTAssertThrowsError(try StateDecoder.decode([Int].self, from: [1, 0] + bytes)) { error in
      guard case .malformed(let malformed)? = error as? StateCodingError else { return XCTFail("\(error)") }
      XCTAssertEqual(malformed.expected, "at most 64 containers within containers")
    }
  }

  func testTooLargeAStateIsRefusedWithItsSize() throws {
    let fits = String(repeating: "x", count: 1 << 20 - 100)
    XCTAssertEqual(try StateDecoder.decode(String.self, from: StateEncoder.encode(fits)).state, fits)
    XCTAssertThrowsError(try StateEncoder.encode(fits + fits)) { error in
      guard case .tooLarge(let bytes, limit: 1 << 20)? = error as? StateCodingError else { return XCTFail("\(error)") }
      XCTAssertGreaterThan(bytes, 1 << 20)
    }
    XCTAssertThrowsError(try StateEncoder.encode([Bool](repeating: true, count: 100_001))) { error in
      guard case .tooMany? = error as? StateCodingError else { return XCTFail("\(error)") }
    }
  }

  func testCountsThatTheBytesCannotHoldAreRefused() {
    let huge: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01]
    let expected: [(String, [[UInt8]])] = [
      ("the version of a state at byte 0", [[], [0]]),
      ("a possible number of keys at byte 1", [[1]]),
      ("a possible number of keys at byte 11", [[1] + huge]),
      ("a key at byte 12", [[1, 1] + huge]),
      ("a value at byte 2", [[1, 0]]),
      ("bytes at byte 13", [[1, 0, 9] + huge, [1, 0, 10] + huge]),
      ("the length of a container at byte 13", [[1, 0, 11] + huge, [1, 0, 12] + huge]),
      ("the length of a container at byte 4", [[1, 0, 11, 11] + huge]),
      ("a possible number of elements at byte 5", [[1, 0, 11, 1, 9]]),
      ("a key's number at byte 6", [[1, 0, 12, 3, 1, 0, 0]]),
      ("the end of a container at byte 6", [[1, 0, 11, 3, 1, 0, 0]]),
      ("a known kind of value at byte 3", [[1, 0, 14], [1, 0, 0x7F]]),
      ("the end of the state at byte 3", [[1, 0, 0, 0]]),
      ("a number at byte 13", [[1, 0, 3] + [UInt8](repeating: 0xFF, count: 11)]),
    ]
    for (place, states) in expected {
      for bytes in states {
        assertThrows(
          "the state's bytes are damaged: expected \(place)", try StateDecoder.decode(SmallState.self, from: bytes))
      }
    }
  }

  func testBytesOfANewerFormatAreNamedAsSuch() throws {
    var bytes = try StateEncoder.encode(SmallState())
    bytes[0] = 2
    XCTAssertThrowsError(try StateDecoder.decode(SmallState.self, from: bytes)) { error in
      guard case .newerFormat(2)? = error as? StateCodingError else { return XCTFail("\(error)") }
    }
  }

  func testTruncationAtEveryByteIsAnErrorAndNeverATrap() throws {
    let bytes = try StateEncoder.encode(Everything())
    for length in bytes.indices {
      XCTAssertThrowsError(try StateDecoder.decode(Everything.self, from: Array(bytes[..<length])), "\(length)")
    }
  }

  func testNoFlippedBitTraps() throws {
    let bytes = try StateEncoder.encode(Everything())
    for index in bytes.indices {
      for bit in 0..<8 {
        var flipped = bytes
        flipped[index] ^= 1 << UInt8(bit)
        // Some flips give another sound state; what counts is that none stops the program.
        let read = try? StateDecoder.decode(Everything.self, from: flipped)
        if let read { _ = try StateEncoder.encode(read.state, keeping: read.unknown) }
      }
    }
  }
}
