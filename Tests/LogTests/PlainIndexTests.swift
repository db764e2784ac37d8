import RepriseLMDB
import RepriseLog
import RepriseObjectModel
import RepriseTestLog
import XCTest

final class PlainIndexTests: CountedIndexTestCase {
  private let targets = [
    UniqueID(high: 0, low: 0), UniqueID(high: 0, low: 1), UniqueID(high: 1, low: .max), UniqueID(high: .max, low: .max),
  ]

  func testMembersOfOneTargetDoNotMixWithAnothersOrAnotherIndexs() throws {
    let indexes = [3, 4, .max].map { PlainIndex(number: $0, table: table) }
    var expected: [[UniqueID]] = []
    try write { transaction throws(StorageError) in
      for index in indexes {
        for (number, target) in targets.enumerated() where number > 0 {
          let sources = (0..<number * 3).map { UniqueID(high: UInt64($0) << 60, low: UInt64($0)) }
          for source in sources.reversed() { try index.insert(target: target, source: source, in: transaction) }
          expected.append(sources)
        }
      }
    }
    try read { view throws(StorageError) in
      var found: [[UniqueID]] = []
      for index in indexes {
        XCTAssertEqual(try index.members(of: targets[0], in: view), [])
        for target in targets.dropFirst() { found.append(try index.members(of: target, in: view)) }
      }
      XCTAssertEqual(found, expected)
    }
  }

  func testADeletedMemberIsGoneAndTheOthersStay() throws {
    let index = PlainIndex(number: 3, table: table)
    let sources = (0..<3).map { UniqueID(high: 9, low: UInt64($0)) }
    try write { transaction throws(StorageError) in
      for source in sources { try index.insert(target: targets[1], source: source, in: transaction) }
      try index.delete(target: targets[1], source: sources[1], in: transaction)
    }
    try read { view throws(StorageError) in
      XCTAssertEqual(try index.members(of: targets[1], in: view), [sources[0], sources[2]])
    }
  }

  func testInsertingTwiceAndDeletingWhatIsMissingAreTypedErrors() throws {
    let index = PlainIndex(number: 3, table: table)
    let row = [UInt8](repeating: 0xFF, count: 16) + [UInt8](repeating: 0, count: 15) + [1]
    XCTAssertThrowsError(
      try write { transaction throws(StorageError) in
        try index.insert(target: targets[3], source: targets[1], in: transaction)
        try index.insert(target: targets[3], source: targets[1], in: transaction)
      }
    ) { self.expect($0, refuses: .insert(row), in: 3) }
    XCTAssertThrowsError(
      try write { transaction throws(StorageError) in
        try index.delete(target: targets[3], source: targets[1], in: transaction)
      }
    ) { self.expect($0, refuses: .delete(row), in: 3) }
  }

  func testAWalkOfMembersEndsWhenItsBodySaysSo() throws {
    let index = PlainIndex(number: 3, table: table)
    try write { transaction throws(StorageError) in
      for source in targets { try index.insert(target: targets[2], source: source, in: transaction) }
    }
    var visited: [UniqueID] = []
    try read { view throws(StorageError) in
      try index.forEachMember(of: targets[2], in: view) { member in
        visited.append(member)
        return visited.count < 2
      }
    }
    XCTAssertEqual(visited, Array(targets.prefix(2)))
  }

  func testARowKeyOfAnotherLengthIsATypedError() throws {
    let index = PlainIndex(number: 3, table: table)
    let key: [UInt8] = [0, 0, 0, 3, 0] + [UInt8](repeating: 0, count: 17)
    let table = table
    try environment.write { transaction throws(StorageError) in
      try transaction.put(table, key: key.span.bytes, value: RawSpan())
    }
    XCTAssertThrowsError(try read { view throws(StorageError) in _ = try index.members(of: .zero, in: view) }) {
      self.expectDamage($0, "a row key has 17 bytes", in: 3)
    }
  }

  private func write(_ body: (borrowing WriteTransaction) throws(StorageError) -> Void) throws {
    try environment.write(body)
  }
}
