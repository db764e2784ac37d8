import RepriseTestSeeds
import XCTest

@testable import RepriseObjectModel

/// Arrays, sets and dictionaries as attributes: what is stored is what was assigned.
final class CollectionValueTests: XCTestCase {
  private enum Mood: String, AttributeValue { case good, bad }

  private func assertKept<Value: AttributeValue & Equatable>(_ value: Value, line: UInt = #line) {
    XCTAssertEqual(Value.from(value.propertyValue), value, line: line)
  }

  func testCollectionsOfEveryTypeAreKept() {
    assertKept([String]())
    assertKept(["b", "", "a", "b"])
    assertKept([1, nil, -3] as [Int?])
    assertKept([[1.5], [], [.infinity, -0.0]])
    assertKept([Mood.bad, .good])
    assertKept([UInt64.max, 0])
    assertKept([true, false])
    assertKept([[1, 2], []] as [[UInt8]])
    assertKept([UniqueID(), .zero])
    assertKept([Duration.seconds(3)])
    assertKept([Set(["a"]), []])
    assertKept([String: Int]())
    assertKept(["b": 1, "a": -1, "": 0])
    assertKept([1: ["x": nil, "y": 2.5]] as [Int: [String: Double?]])
    assertKept([Mood.good: [1, 2]])
    let none: [String]? = nil
    XCTAssertEqual(none.propertyValue, .null)
    XCTAssertEqual([String]?.from(.null), .some(.none))
  }

  func testBytesAreStoredAsTheyAre() {
    XCTAssertEqual(([1, 2, 255] as [UInt8]).propertyValue, .bytes([1, 2, 255]))
    XCTAssertEqual([UInt8].from(.bytes([1, 2])), [1, 2])
    func stored<Value: AttributeValue>(_ value: Value) -> PropertyValue { value.propertyValue }
    XCTAssertEqual(stored([7] as [UInt8]), .bytes([7]))
    XCTAssertEqual([UInt8].attributeKind, .bytes)
  }

  func testEqualDictionariesHaveEqualBytes() {
    var random = SeededGenerator(seed: testSeed())
    for _ in 0..<200 {
      let pairs = (0..<Int.random(in: 0...20, using: &random)).map { ("\($0)", Int.random(in: 0...9, using: &random)) }
      let (one, other) = (Dictionary(uniqueKeysWithValues: pairs), Dictionary(uniqueKeysWithValues: pairs.shuffled()))
      XCTAssertEqual(one.propertyValue, other.propertyValue)
      assertKept(one)
    }
  }

  func testBytesThatAreNoCollectionAreRefused() {
    var random = SeededGenerator(seed: testSeed())
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 0...12, using: &random)).map { _ in UInt8.random(in: 0...10, using: &random) }
      // What is read at all is a value that is kept.
      if let array = [String?].from(.bytes(bytes)) { assertKept(array) }
      if let array = [[Int]].from(.bytes(bytes)) { assertKept(array) }
      if let dictionary = [Int: Bool].from(.bytes(bytes)) { assertKept(dictionary) }
    }
    XCTAssertNil([String].from([1, 2].propertyValue))
    XCTAssertNil([Mood].from(["ugly"].propertyValue))
    XCTAssertNil([Int8].from([1, 300].propertyValue))
    XCTAssertNil([String: Int].from(["a"].propertyValue))
    XCTAssertNil([String: Int].from(["a", "b"].propertyValue))
    XCTAssertNil([String: String].from(["a", "b", "a", "c"].propertyValue), "a key twice")
    XCTAssertNil([String].from(.string("a")))
    XCTAssertNil([String].from(.null))
    XCTAssertNil([String: Int].from(.null))
  }

  /// Nobody would find it there, so its bytes would go.
  func testABlobAmongOthersIsNoValue() {
    XCTAssertNil([Blob].from([Blob.empty].propertyValue))
    XCTAssertNil([Blob?].from([Blob.empty].propertyValue))
    XCTAssertNil(Set<Blob?>.from(Set<Blob?>([.empty]).propertyValue))
    XCTAssertTrue([Blob]?.from([Blob.empty].propertyValue) == .none)
    XCTAssertNil([String: Blob].from(["a": Blob.empty].propertyValue))
    XCTAssertNil([[Blob]].from([[Blob.empty]].propertyValue))
  }

  func testOnlySetsMergeAsSets() {
    XCTAssertTrue(MergeRule.set.isFor(Set<String>.self))
    XCTAssertTrue(MergeRule.set.isFor(Set<String>?.self))
    XCTAssertTrue(MergeRule.set.isFor(Int.self))
    let others: [any AttributeValue.Type] = [
      [String].self, [UInt8].self, [String: Int].self, Duration.self, String.self,
    ]
    for type in others { XCTAssertFalse(MergeRule.set.isFor(type), "\(type)") }
  }
}
