import RepriseObjectModel
import RepriseTestSeeds
import XCTest

@testable import RepriseEventStore

/// Many splices of one value, applied at once.
final class SplicedValueTests: XCTestCase {
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
      var spliced = try XCTUnwrap(SplicedValue(.string(String(text)), isText: true))
      for _ in 0..<60 {
        let before = String(text)
        let start = text.index(text.startIndex, offsetBy: Int.random(in: 0...text.count, using: &random))
        let deleted = min(Int.random(in: 0...12, using: &random), text.distance(from: start, to: text.endIndex))
        let count = Int.random(in: 0...6, using: &random) == 0 ? 400 : Int.random(in: 0...3, using: &random)
        let inserted = (0..<count).map { _ in letters.randomElement(using: &random)! }
        text.replaceSubrange(start..<text.index(start, offsetBy: deleted), with: inserted)
        XCTAssertTrue(splice(before, String(text)) { spliced.apply($0) })
        if Int.random(in: 0..<10, using: &random) > 0 { continue }
        XCTAssertTrue(spliced.value?.isIdentical(to: .string(String(text))) == true)
      }
      XCTAssertTrue(spliced.value?.isIdentical(to: .string(String(text))) == true)
    }
  }

  func testASpliceOfAnotherValueIsRefusedAndChangesNothing() throws {
    var spliced = try XCTUnwrap(SplicedValue(.string("Hello great world"), isText: true))
    splice("Hello brave world", "Hello world") { XCTAssertFalse(spliced.apply($0)) }
    splice("Hello great world, and more", "Hello great world, and") { XCTAssertFalse(spliced.apply($0)) }
    XCTAssertTrue(spliced.value?.isIdentical(to: .string("Hello great world")) == true)
    XCTAssertNil(SplicedValue(.bytes([1]), isText: true))
    XCTAssertNil(SplicedValue(.null, isText: false))
    var bytes = try XCTUnwrap(SplicedValue(.bytes([1]), isText: false))
    splice("", "a") { XCTAssertFalse(bytes.apply($0)) }
  }
}
