import RepriseLog
import RepriseObjectModel
import RepriseTestSeeds
import XCTest

/// Many splices of one value, applied at once.
final class SplicedBytesTests: XCTestCase {
  private func splice<Result>(
    _ old: String, _ new: String, _ body: (Splice) throws -> Result
  ) rethrows -> Result {
    try Array(old.utf8).withUnsafeBytes { old in
      try Array(new.utf8).withUnsafeBytes { new in try body(Splice(from: old, to: new, isText: true)) }
    }
  }

  func testManySplicesLeadToWhatEachLedTo() throws {
    var random = SeededGenerator(seed: testSeed())
    let letters = Array("aäé𝄞\u{301}b\u{1F1E9}".unicodeScalars)
    for _ in 0..<100 {
      var text = String.UnicodeScalarView()
      for _ in 0..<Int.random(in: 0...600, using: &random) { text.append(letters.randomElement(using: &random)!) }
      var spliced = try XCTUnwrap(SplicedBytes(.string(String(text))))
      for _ in 0..<60 {
        let before = String(text)
        let start = text.index(text.startIndex, offsetBy: Int.random(in: 0...text.count, using: &random))
        let deleted = min(Int.random(in: 0...12, using: &random), text.distance(from: start, to: text.endIndex))
        let count = Int.random(in: 0...6, using: &random) == 0 ? 400 : Int.random(in: 0...3, using: &random)
        let inserted = (0..<count).map { _ in letters.randomElement(using: &random)! }
        text.replaceSubrange(start..<text.index(start, offsetBy: deleted), with: inserted)
        XCTAssertTrue(splice(before, String(text)) { spliced.apply($0) })
        if Int.random(in: 0..<10, using: &random) > 0 { continue }
        try expect(spliced, String(text))
      }
      try expect(spliced, String(text))
    }
  }

  /// The bytes around the gap are those of the text.
  private func expect(_ spliced: SplicedBytes, _ text: String) throws {
    XCTAssertTrue(spliced.value?.isIdentical(to: .string(text)) == true)
    XCTAssertEqual(spliced.count, text.utf8.count)
    XCTAssertEqual(spliced.crc32c, Array(text.utf8).withUnsafeBytes { Checksum.crc32c($0) })
    var (writer, other) = (ByteWriter(), ByteWriter())
    writer.value(spliced)
    XCTAssertTrue(writer.bytes.withUnsafeBytes { spliced.isSame(as: $0) })
    XCTAssertTrue(spliced.isSame(as: try XCTUnwrap(writer.bytes.withUnsafeBytes { SplicedBytes($0) })))
    other.scalar(.string(text + "!"))
    XCTAssertFalse(other.bytes.withUnsafeBytes { spliced.isSame(as: $0) })
    for offset in -1...text.utf8.count + 1 {
      let boundary = spliced.boundary(before: offset)
      XCTAssertLessThanOrEqual(boundary, max(0, offset))
      XCTAssertNotNil(String(text.utf8.prefix(boundary)))
    }
  }

  func testASpliceOfAnotherValueIsRefusedAndChangesNothing() throws {
    var spliced = try XCTUnwrap(SplicedBytes(.string("Hello great world")))
    splice("Hello brave world", "Hello world") { XCTAssertFalse(spliced.apply($0)) }
    splice("Hello great world, and more", "Hello great world, and") { XCTAssertFalse(spliced.apply($0)) }
    XCTAssertTrue(spliced.value?.isIdentical(to: .string("Hello great world")) == true)
    XCTAssertNil(SplicedBytes(.null))
    var bytes = try XCTUnwrap(SplicedBytes(.bytes([1])))
    splice("", "a") { XCTAssertFalse(bytes.apply($0), "a splice of a text") }
  }
}
