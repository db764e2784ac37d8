import Foundation
import RepriseLMDB
import XCTest

/// A commit with an after-image is there after its meta page is lost. A commit that failed, or that was interrupted
/// before another process wrote, is not.
final class AfterImageTests: AfterImageTestCase {
  // MARK: Repetition

  func testACommitWithoutItsMetaPageIsRepeated() throws {
    try make()
    try loseCommit(put("b", "2"))
    let environment = try openDurably()
    XCTAssertEqual(environment.counters[.repetition], 1)
    XCTAssertEqual(try rows(environment)["t"], ["a": "1", "b": "2"])
    XCTAssertEqual(environment.counters[.afterImage], 0, "the repetition relies on an after-image itself")
    environment.close()
    let again = try openDurably()
    XCTAssertEqual(again.counters[.repetition], 0)
    XCTAssertEqual(try rows(again)["t"], ["a": "1", "b": "2"])
  }

  func testDeletionsAndEmptiedTablesAreRepeated() throws {
    try make()
    try loseCommit { environment in
      try environment.write { transaction throws(StorageError) in
        try transaction.put(environment["u"], "gone", "1")
        try transaction.removeAll(environment["u"])
        try transaction.put(environment["u"], "kept", "2")
        try transaction.delete(environment["t"], key: Array("a".utf8).span.bytes)
        var cursor = try transaction.writeCursor(environment["t"])
        try cursor.append(key: Array("z".utf8).span.bytes, value: RawSpan())
      }
    }
    XCTAssertEqual(try rows(openDurably()), ["t": ["z": ""], "u": ["kept": "2"]])
  }

  func testARefusedChangeIsNotRepeated() throws {
    try make()
    try loseCommit { environment in
      try environment.write { transaction throws(StorageError) in
        for (key, value) in [("a", "2"), (String(repeating: "k", count: 600), "3"), ("b", "4")] {
          let (key, value) = (Array(key.utf8), Array(value.utf8))
          try? transaction.insert(environment["t"], key: key.span.bytes, value: value.span.bytes)
        }
      }
    }
    XCTAssertEqual(try rows(openDurably())["t"], ["a": "1", "b": "4"])
  }

  func testATornAfterImageIsNotRepeated() throws {
    try make()
    let before = try bytes()
    for offset in [0, 5, 8, 16, 40, 46, 52, 55] {
      try Data(before).write(to: URL(fileURLWithPath: dataFile))
      try loseCommit(put("b", "2"))
      let place = try place(of: 3)
      try patch([try bytes()[place + offset] ^ 1], at: place + offset)
      let environment = try openDurably()
      XCTAssertEqual(try rows(environment)["t"], ["a": "1"], "byte \(offset)")
      XCTAssertEqual(environment.counters[.repetition], 0)
      environment.close()
    }
  }

  func testAnAfterImageOfAnotherBaseIsNotRepeated() throws {
    try make()
    let image = try imageOfNextCommit { environment in
      try environment.write { transaction throws(StorageError) in
        for key in ["x", "y"] { try transaction.put(environment["t"], key, "1") }
      }
      try self.put("b", "2")(environment)
    }
    let environment = try openDurably()
    try environment.put(environment["t"], "c", String(repeating: "3", count: 900))
    XCTAssertEqual(try head(environment), 3)
    environment.close()
    try patch(image, at: try place(of: 4))
    let opened = try openDurably()
    XCTAssertEqual(opened.counters[.repetition], 0)
    XCTAssertEqual(Set(try rows(opened)["t", default: [:]].keys), ["a", "c"])
  }

  func testAReadOnlyOpeningRepeatsNothing() throws {
    try make()
    try loseCommit(put("b", "2"))
    let environment = try openDurably { $0.readOnly = true }
    XCTAssertEqual(try rows(environment)["t"], ["a": "1"])
    environment.close()
    XCTAssertEqual(try rows(openDurably())["t"], ["a": "1", "b": "2"])
  }

  func testAnOpeningThatMustNotWriteLeavesIt() throws {
    try make()
    try loseCommit(put("b", "2"))
    XCTAssertThrowsError(try openDurably { $0.makesTables = false }) {
      XCTAssertEqual(($0 as? StorageError)?.name, "tableMissing")
    }
    XCTAssertEqual(try rows(openDurably())["t"], ["a": "1", "b": "2"])
    XCTAssertEqual(try rows(openDurably { $0.makesTables = false })["t"], ["a": "1", "b": "2"])
  }

  func testAnAfterImageWithoutEffectIsRepeatedOnce() throws {
    try make()
    var image = try imageOfNextCommit { environment in
      _ = try environment.write { transaction throws(StorageError) in
        try transaction.delete(environment["t"], key: Array("a".utf8).span.bytes)
      }
    }
    // Deletes "b" instead of "a".
    let length = Self.headerSize + 9 + 9
    image[length - 1] = UInt8(ascii: "b")
    let crc = AfterImage.checksum(Array(image[..<length]))
    image.replaceSubrange(0..<4, with: withUnsafeBytes(of: crc.littleEndian) { Array($0) })
    try patch(image, at: try place(of: 3))
    let environment = try openDurably()
    XCTAssertEqual(environment.counters[.repetition], 1)
    try environment.put(environment["t"], "c", "3")
    XCTAssertEqual(environment.counters[.withdrawal], 1)
    XCTAssertEqual(try rows(environment)["t"], ["a": "1", "c": "3"])
  }

  // MARK: Which commits have one

  func testALargeCommitFlushesTwice() throws {
    let environment = try openDurably()
    let table = environment["t"]
    let size = { (bytes: Int) in String(repeating: "v", count: bytes) }
    // The header, the name of the table, and a row with a key of one byte.
    let most = 65_520 - Self.headerSize - 9 - 9
    try environment.put(table, "a", size(most))
    XCTAssertEqual(environment.counters[.afterImage], 1)
    try environment.put(table, "b", size(most + 1))
    XCTAssertEqual(environment.counters[.afterImage], 1)
    try environment.put(table, "c", size(1))
    XCTAssertEqual(environment.counters[.afterImage], 2)
    XCTAssertEqual(environment.counters[.commit], 3)
  }

  func testATransactionWithoutEffectHasNoAfterImage() throws {
    try make()
    let environment = try openDurably()
    let (table, key) = (environment["t"], Array("never".utf8))
    try environment.write { _ throws(StorageError) in }
    try environment.write { transaction throws(StorageError) in
      XCTAssertFalse(try transaction.delete(table, key: key.span.bytes))
      XCTAssertThrowsError(try transaction.insert(table, key: Array("a".utf8).span.bytes, value: key.span.bytes))
    }
    XCTAssertEqual(environment.counters[.afterImage], 0)
    XCTAssertEqual(try head(environment), 2)
    environment.close()
    let opened = try openDurably()
    XCTAssertEqual(opened.counters[.repetition], 0)
    try opened.put(opened["t"], "b", "2")
    XCTAssertEqual(opened.counters[.withdrawal], 0)
  }

  func testAFileWithoutTheTableFlushesTwice() throws {
    let environment = try open(Self.tables) { $0.isUnflushed = false }
    try environment.put(environment["t"], "a", "1")
    XCTAssertEqual(environment.counters[.afterImage], 0)
    XCTAssertThrowsError(try environment.afterImage(of: 2)) {
      XCTAssertEqual(
        $0 as? StorageError,
        .damagedStructure(
          "the only row of the table 'afterimages' is missing or damaged", StorageError.Site(.get, directory)))
    }
  }

  func testTheAfterImageOfACommitHasItsChanges() throws {
    let environment = try openDurably()
    try environment.write { transaction throws(StorageError) in
      try transaction.put(environment["u"], "k", "value")
      try transaction.put(environment["t"], "gone", "1")
      try transaction.delete(environment["t"], key: Array("gone".utf8).span.bytes)
      try transaction.delete(environment["t"], key: Array("never".utf8).span.bytes)
      try transaction.removeAll(environment["t"])
    }
    let image = try XCTUnwrap(try environment.afterImage(of: 2))
    XCTAssertEqual(image.tables, ["u", "t"])
    let texts = image.changes.map { change in
      "\(change.kind) \(change.table) \(String(decoding: image.key(change), as: UTF8.self)) "
        + String(decoding: image.value(change), as: UTF8.self)
    }
    XCTAssertEqual(texts, ["put 0 k value", "put 1 gone 1", "delete 1 gone ", "removeAll 1  "])
    XCTAssertNil(try environment.afterImage(of: 1))
    XCTAssertNil(try environment.afterImage(of: 4))
  }

  // MARK: Withdrawal

  func testAWriterWithdrawsADeadProcessAfterImage() throws {
    for finishes in [true, false] {
      try setUpWithError()
      try make()
      let image = try imageOfNextCommit(put("dead", "1"))
      let environment = try openDurably()
      try patch(image, at: try place(of: 3))
      if finishes {
        try environment.put(environment["t"], "b", "2")
      } else {
        struct Refused: Error {}
        XCTAssertThrowsError(try environment.write { _ in throw Refused() })
        XCTAssertEqual(try placeBytes(of: 3).prefix(Self.headerSize), ArraySlice(repeating: 0, count: Self.headerSize))
      }
      XCTAssertEqual(environment.counters[.withdrawal], 1)
      environment.close()
      let opened = try openDurably()
      XCTAssertEqual(opened.counters[.repetition], 0)
      XCTAssertEqual(try rows(opened)["t"], finishes ? ["a": "1", "b": "2"] : ["a": "1"])
      opened.close()
      try tearDownWithError()
    }
    try setUpWithError()
  }

  func testSettlingWithdrawsAnAfterImage() throws {
    try make()
    let image = try imageOfNextCommit(put("unknown", "1"))
    let environment = try openDurably()
    try patch(image, at: try place(of: 3))
    try environment.settle()
    environment.close()
    XCTAssertEqual(try rows(openDurably())["t"], ["a": "1"])
  }
}
