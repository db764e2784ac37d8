import RepriseLog
import RepriseObjectModel
import RepriseTestSeeds
import XCTest

final class SpliceTests: XCTestCase {
  private func splice<Result>(
    _ old: String, _ new: String, _ body: (Splice) throws -> Result
  ) rethrows -> Result {
    try Array(old.utf8).withUnsafeBytes { old in
      try Array(new.utf8).withUnsafeBytes { new in try body(Splice(from: old, to: new, isText: true)) }
    }
  }

  private func parts(_ old: String, _ new: String) -> [String?] {
    splice(old, new) { splice in
      [
        String(splice.offset), String(validating: splice.removed, as: UTF8.self),
        String(validating: splice.inserted, as: UTF8.self),
      ]
    }
  }

  func testSpliceHoldsOnlyWhatDiffers() {
    XCTAssertEqual(parts("", ""), ["0", "", ""])
    XCTAssertEqual(parts("abc", "abXc"), ["2", "", "X"])
    XCTAssertEqual(parts("abXc", "abc"), ["2", "X", ""])
    XCTAssertEqual(parts("aaa", "aa"), ["2", "a", ""])
    XCTAssertEqual(parts("0123456789abcdef!", "0123456789ABCDEF!"), ["10", "abcdef", "ABCDEF"])
    XCTAssertEqual(parts("x0123456789abcdef", "y0123456789abcdef"), ["0", "x", "y"])
  }

  func testSpliceNeverCutsAScalar() {
    // Those of a pair share their first byte, or their last.
    XCTAssertEqual(parts("aäb", "aöb"), ["1", "ä", "ö"])
    XCTAssertEqual(parts("\u{E9}", "\u{1F9}"), ["0", "\u{E9}", "\u{1F9}"])
    XCTAssertEqual(parts("\u{1F600}", "\u{1F640}"), ["0", "\u{1F600}", "\u{1F640}"])
    XCTAssertEqual(parts("ä", "äö"), ["2", "", "ö"])
    XCTAssertEqual(parts("äö", "ö"), ["0", "ä", ""])
  }

  func testRandomSplicesLeadThereAndBack() throws {
    var random = SeededGenerator(seed: testSeed())
    let letters = Array("aäé𝄞\u{301}b\u{1F1E9}")
    for _ in 0..<2_000 {
      var old = (0..<Int.random(in: 0...30, using: &random)).map { _ in letters.randomElement(using: &random)! }
      let before = String(old)
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        let place = Int.random(in: 0...old.count, using: &random)
        if Bool.random(using: &random), place < old.count {
          old.remove(at: place)
        } else {
          old.insert(letters.randomElement(using: &random)!, at: place)
        }
      }
      let after = String(old)
      splice(before, after) { splice in
        XCTAssertNotNil(String(validating: splice.removed, as: UTF8.self))
        XCTAssertNotNil(String(validating: splice.inserted, as: UTF8.self))
        let there = splice.applied(to: PropertyValue.string(before))
        XCTAssertTrue(there?.isIdentical(to: .string(after)) == true, "\(before) to \(after)")
        let back = splice.inverse.applied(to: PropertyValue.string(after))
        XCTAssertTrue(back?.isIdentical(to: .string(before)) == true, "\(after) back to \(before)")
      }
    }
  }

  func testSpliceOfAnotherTextIsRefused() {
    splice("Hello world", "Hello brave world") { splice in
      XCTAssertNil(splice.inverse.applied(to: .string("Hello great world")))
      XCTAssertNil(splice.inverse.applied(to: .string("Hello")))
      XCTAssertNil(splice.applied(to: .string("Hel")))
      XCTAssertNil(splice.applied(to: .bytes(Array("Hello world".utf8))))
      XCTAssertNil(splice.applied(to: .null))
    }
    splice("aä", "ab") { splice in
      XCTAssertNil(splice.applied(to: .string("a\u{FC}")), "the removed bytes differ")
    }
  }
}
