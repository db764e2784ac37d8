import RepriseLog
import RepriseTestSeeds
import XCTest

@testable import RepriseJournal

final class SceneNodesTests: XCTestCase {
  /// By their bytes: two spellings of one text are two keys.
  private let keys =
    ["", "/", "list", "list/é", "list/e\u{301}"].map { Array($0.utf8) } + (0..<60).map { Array("\($0)".utf8) }

  private func expectSame(_ nodes: SceneNodes, _ expected: [[UInt8]: [UInt8]], line: UInt = #line) {
    for key in keys {
      let number = key.withUnsafeBytes { nodes.number(of: $0) }
      XCTAssertEqual(number.map { Array(nodes.buffer[nodes.nodes[$0].bytes]) }, expected[key], line: line)
      if let number { XCTAssertEqual(Array(nodes.buffer[nodes.nodes[number].key]), key, line: line) }
    }
  }

  func testTheyHoldWhatADictionaryHoldsThroughRandomChanges() {
    var random = SeededGenerator(seed: testSeed(default: 11))
    var nodes = SceneNodes()
    var expected: [[UInt8]: [UInt8]] = [:]
    for step in 0..<6_000 {
      let key = keys[Int.random(in: keys.indices, using: &random)]
      switch Int.random(in: 0..<400, using: &random) {
      case 0:
        nodes.removeAll()
        expected = [:]
      case 1..<20:
        nodes.settle()
        XCTAssertEqual(nodes.nodes.count, expected.count)
        XCTAssertEqual(nodes.isEmpty, expected.isEmpty)
      case 20..<160:
        key.withUnsafeBytes { nodes.remove($0) }
        expected[key] = nil
      default:
        let bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: step), count: step % 5)
        key.withUnsafeBytes { key in bytes.withUnsafeBytes { nodes.put(key, $0) } }
        expected[key] = bytes
      }
      if step % 20 == 0 { expectSame(nodes, expected) }
    }
    nodes.settle()
    expectSame(nodes, expected)
  }
}
