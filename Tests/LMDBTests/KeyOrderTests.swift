import Foundation
import RepriseTestSeeds
import XCTest

@testable import RepriseLMDB

/// Whatever damaged keys are: a walk ascends strictly, a search never leads back, or they throw.
final class KeyOrderTests: StructureTestCase {
  private func damaged(_ bytes: [UInt8], _ random: inout SeededGenerator) -> [UInt8]? {
    var damaged = bytes
    let number = Int.random(in: 2..<bytes.count / pageSize, using: &random)
    let page = Page(bytes: Array(bytes[number * pageSize..<(number + 1) * pageSize]))
    guard page.isLeaf || page.isBranch, page.nodeCount > 1 else { return nil }
    let first = number * pageSize + DataFile.pageHeaderSize
    switch Int.random(in: 0..<3, using: &random) {
    case 0:
      // All nodes in reverse order.
      for index in 0..<page.nodeCount {
        for byte in 0..<2 {
          damaged[first + 2 * index + byte] = bytes[first + 2 * (page.nodeCount - 1 - index) + byte]
        }
      }
    case 1:
      // Two nodes in each other's place.
      let (one, other) = (
        Int.random(in: 0..<page.nodeCount, using: &random), Int.random(in: 0..<page.nodeCount, using: &random)
      )
      for byte in 0..<2 { damaged.swapAt(first + 2 * one + byte, first + 2 * other + byte) }
    default:
      guard let key = page.node(Int.random(in: 0..<page.nodeCount, using: &random))?.key, !key.isEmpty else {
        return nil
      }
      let place = number * pageSize + Int.random(in: key, using: &random)
      damaged[place] ^= UInt8(1) << UInt8.random(in: 0..<8, using: &random)
    }
    return damaged
  }

  func testWalksAscendAndSearchesNeverLeadBack() throws {
    let bytes = try sample()
    var thrown = 0
    for seed in testSeeds(200) {
      var random = SeededGenerator(seed: seed)
      guard let damaged = damaged(bytes, &random) else { continue }
      try write(damaged)
      guard let environment = try? open(["a", "b", "empty"]) else { continue }
      defer { environment.close() }
      let transaction = try environment.beginRead()
      for name in ["a", "b"] {
        guard let keys = try? keys(environment[name], transaction.view, seed) else {
          thrown += 1
          continue
        }
        for number in 0..<320 {
          let wanted = number < keys.count ? keys[number] : Array("key \(number) ".utf8)
          var cursor = try transaction.view.cursor(environment[name])
          do {
            guard let found = try cursor.seek(wanted.span.bytes) else { continue }
            let key = found.key.withUnsafeBytes { [UInt8]($0) }
            XCTAssertFalse(key.lexicographicallyPrecedes(wanted), "\(wanted) led to \(key); seed \(seed)")
          } catch { thrown += 1 }
        }
      }
    }
    XCTAssertGreaterThan(thrown, 20)
  }

  private func keys(_ table: Table, _ view: View, _ seed: UInt64) throws -> [[UInt8]] {
    var keys: [[UInt8]] = []
    for isForward in [true, false] {
      keys = []
      var cursor = try view.cursor(table)
      while let entry = try isForward ? cursor.next() : cursor.previous() {
        let key = entry.key.withUnsafeBytes { [UInt8]($0) }
        if let last = keys.last {
          XCTAssertEqual(last.lexicographicallyPrecedes(key), isForward, "seed \(seed)")
          XCTAssertNotEqual(last, key, "seed \(seed)")
        }
        keys.append(key)
      }
    }
    return keys
  }
}
