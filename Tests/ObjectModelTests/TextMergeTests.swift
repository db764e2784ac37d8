import RepriseTestSeeds
import XCTest

@testable import RepriseObjectModel

/// Two edits are both there, or neither is taken for both.
final class TextMergeTests: XCTestCase {
  private func merged(_ base: String, _ mine: String, _ theirs: String) -> String? {
    TextMerge.merged(base: base, mine: mine, theirs: theirs)
  }

  func testWhatTouchesIsNotMerged() {
    XCTAssertEqual(merged("one two three", "ONE two three", "one two THREE"), "ONE two THREE")
    XCTAssertEqual(merged("one two", "one", "one two three"), nil, "removed, and added to")
    XCTAssertEqual(merged("one two", "one two x", "one two y"), nil, "both at the end")
    XCTAssertEqual(merged("", "a", "b"), nil)
    XCTAssertEqual(merged("colour", "color", "colours"), nil, "one word")
    XCTAssertEqual(merged("a b c d", "a B c D", "A b c D"), "A B c D", "one edit of both alike")
    XCTAssertEqual(merged("a b c", "a c", "a b c d"), "a c d")
    let (one, other) = ("\u{1F1E9}\u{1F1EA}", "\u{1F1EB}\u{1F1F7}")
    XCTAssertEqual(merged("\(one), e\u{301}te", "\(other), e\u{301}te", "\(one), hiver"), "\(other), hiver")
    XCTAssertEqual(merged("line\nline\n", "line\nline\nmore\n", "first\nline\nline\n"), "first\nline\nline\nmore\n")
  }

  /// Each word is changed by one of two at most, some are removed, and some have others put behind them.
  func testEditsOfDifferentWordsAreBothThereWhateverTheText() {
    var random = SeededGenerator(seed: testSeed())
    for round in 0..<300 {
      // Words that are all different, so that it is clear which is which.
      let base = (0..<Int.random(in: 1...60, using: &random)).map { "w\($0)" }
      var (mine, theirs, both) = ([String](), [String](), [String]())
      for word in base {
        let changed = ["\(word)x", "\(word) new", ""].randomElement(using: &random) ?? ""
        switch Int.random(in: 0..<6, using: &random) {
        case 0: (mine, theirs, both) = (mine + [changed], theirs + [word], both + [changed])
        case 1: (mine, theirs, both) = (mine + [word], theirs + [changed], both + [changed])
        default: (mine, theirs, both) = (mine + [word], theirs + [word], both + [word])
        }
        // A word that nobody changes is between them.
        let between = "-\(word)-"
        (mine, theirs, both) = (mine + [between], theirs + [between], both + [between])
      }
      let old = base.flatMap { [$0, "-\($0)-"] }.joined(separator: " ")
      let (left, right) = (mine.joined(separator: " "), theirs.joined(separator: " "))
      if left == old || right == old { continue }
      XCTAssertEqual(merged(old, left, right), both.joined(separator: " "), "round \(round): \(left) and \(right)")
      XCTAssertEqual(merged(old, right, left), both.joined(separator: " "), "round \(round)")
    }
  }

  func testTextsOfAnyLengthAreMergedOrNotButNotForHours() {
    let base = (0..<20_000).map { "word\($0)" }.joined(separator: " ")
    XCTAssertEqual(merged(base, "first " + base, base + " last"), "first " + base + " last")
    let other = (0..<20_000).map { "other\($0)" }.joined(separator: " ")
    XCTAssertNil(merged(base, other, base + " last"))
  }
}
