import Foundation
import XCTest

/// The rules of Docs/Writing.md that can be counted, each against the checkout and against made-up sentences.
final class PlainEnglishTests: XCTestCase {
  /// `REPRISE_ENGLISH=lower` writes the numbers that fell into the table instead, and `write` all numbers.
  func testMarksOfPlainEnglishAreWithinBudgets() throws {
    let areas = try EnglishArea.all()
    let budgets = EnglishBudgets.counts(in: EnglishBudgets.table)
    if let mode = ProcessInfo.processInfo.environment["REPRISE_ENGLISH"] {
      return try EnglishBudgets.write(
        areas.map { area in
          let budget = mode == "lower" ? budgets[area.name] ?? area.counts : area.counts
          return (area.name, area.counts.merging(budget) { min($0, $1) })
        })
    }
    XCTAssertEqual(Set(areas.map(\.name)), Set(budgets.keys), "EnglishBudgets.table has a row for each area")
    for area in areas {
      for (mark, count) in area.counts.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
        let budget = budgets[area.name]?[mark] ?? 0
        if count < budget { XCTFail("\(area.name) has \(count) of '\(mark)', fewer than \(budget): run make english") }
        if count <= budget { continue }
        XCTFail(
          "\(area.name) has \(count) of '\(mark)', at most \(budget). Newest first:\n\(places(of: mark, in: area))")
      }
    }
  }

  /// The places in the files that were edited last.
  private func places(of mark: PlainEnglish, in area: EnglishArea) -> String {
    let places = area.marks.filter { $0.mark == mark }
    let dates = Dictionary(grouping: places, by: \.path).mapValues { places in
      try? FileManager.default.attributesOfItem(atPath: Checkout.root + "/" + places[0].path)[.modificationDate]
        as? Date
    }
    return places.sorted { (dates[$0.path] ?? nil) ?? .distantPast > (dates[$1.path] ?? nil) ?? .distantPast }
      .prefix(10).map { "\($0.path):\($0.sentence.line): \($0.sentence.tokens.joined(separator: " "))" }
      .joined(separator: "\n")
  }

  func testATableOfBudgetsIsReadAsItIsWritten() {
    let areas: [(name: String, counts: EnglishBudgets.Counts)] = [
      ("manual", [.what: 12, .semicolons: 1045]), ("a-very-long-name", [.tests: 7]),
    ]
    let read = EnglishBudgets.counts(in: EnglishBudgets.table(areas))
    XCTAssertEqual(
      read.mapValues { $0.filter { $0.value > 0 } }, Dictionary(uniqueKeysWithValues: areas.map { ($0, $1) }))
  }

  func testEachMarkIsFound() {
    let long = String(repeating: "word ", count: PlainEnglish.mostWords + 1)
    for (text, marks) in [
      ("Reprise keeps what you saved.", [.what]), ("What is a store?", []),
      ("It has the type of a text, and that of its key.", [.those]), ("It deletes those that are old.", [.those]),
      ("The store in which it lies.", [.which]), ("It reads the others.", [.others]),
      ("It is opened anew.", [.coined]), ("The sum comes to 3.", [.coined]), ("They come together.", []),
      ("The store tells it.", [.tells]), ("It has a lock of its own.", [.own]),
      ("It never opens without a lock.", [.negated]), ("It does not open, and never will.", []),
      ("Such a save is refused.", [.passive]), ("Such a save is refused by `save`.", []),
      ("One claim; another claim.", [.semicolons]), (long + ".", [.long]), (long.dropLast(5) + ".", []),
      ("See `StoreTests.testOpens()` and `testing`.", [.tests]), ("Do `what` others' `those that` do.", [.others]),
    ] as [(String, [PlainEnglish])] {
      let paragraph = Paragraph(path: "a.md", line: 1, text: text)
      XCTAssertEqual(paragraph.sentences.flatMap(PlainEnglish.marks), marks, text)
    }
  }

  func testSentencesEndAtFullStopsAndCells() {
    let text =
      "See [the *log*](a.md#b), v0.1.0 (\"new.\") Is it\n`a. b` now? \\(name.map { $0 }) is e.g. — late\\n| One | Two |"
    let sentences = Paragraph(path: "a.md", line: 7, text: text).sentences
    XCTAssertEqual(
      sentences.map { $0.tokens.joined(separator: " ") },
      ["see the log , v0.1.0 ( new", "is it ` now", "` is e.g", "— late", "one", "two"])
    XCTAssertEqual(sentences.map(\.line), [7, 7, 8, 8, 8, 8])
    XCTAssertEqual(sentences.map(\.isQuestion), [false, true, false, false, false, false])
    XCTAssertEqual(sentences.map(\.words), [5, 4, 3, 1, 1, 1])
  }

  func testTheProseOfADocumentHasNoCode() {
    let text =
      "# Title\nOne\ntwo\n\n    code\n- item\n  more\n10. tenth\n"
      + "```swift\ncode\n```\n| a | b |\n- 3 is a number\n-1 too"
    let found = Prose.paragraphs(ofDocument: SourceFile(path: "a.md", text: text))
    XCTAssertEqual(
      found.map(\.text),
      ["# Title", "One\ntwo", "- item\nmore", "10. tenth", "| a | b |", "- 3 is a number\n-1 too"])
    XCTAssertEqual(found.map(\.line), [1, 2, 6, 8, 12, 13])
  }

  func testCommentsOfPublicDeclarationsAreTheirs() {
    let text = """
      // File.

      /// Public.
      ///
      ///     code
      @frozen
      public enum A {
        /// Case.
        case a
        /// Hidden.
        static let b = 1  // beside code
        /// Member.
        public func c() {}
      }
      /// Of the main actor.
      @MainActor public final class C {
        /// Private.
        private var d = 1
      }
      /// Late.
      package protocol B {
        /// Late too.
        func d()
      }
      """
    let found = Prose.paragraphs(ofComments: SourceFile(path: "A.swift", text: text))
    XCTAssertEqual(found.public.map(\.text), ["Public.", "Case.", "Member.", "Of the main actor."])
    XCTAssertEqual(found.internal.map(\.text), ["File.", "Hidden.", "Private.", "Late.", "Late too."])
  }

  func testMessagesAreLiteralsOfSeveralWords() {
    let text = #"""
      let a = "short text"
      let b = "The store at \(path.map { "(\($0))" }) is \"full\""
        + " and cannot grow. \(hint)"
      f("the-name-of-something-without-a-space", "The second message of this line")
      // "The text of a comment, which is long"
      """#
    let found = Prose.paragraphs(ofMessages: SourceFile(path: "A.swift", text: text))
    XCTAssertEqual(found.map(\.line), [2, 4])
    XCTAssertEqual(
      found.first?.text, #"The store at \(path.map { "(\($0))" }) is \"full\""# + "\n and cannot grow. \\(hint)")
  }
}
