import RepriseObjectModel
import RepriseQuery
import RepriseTestArchives
import RepriseTestModels
import RepriseTestSeeds
import XCTest

final class WordSearchTests: InventoryTestCase {
  func testASearchFindsWordsAndNotPartsOfThem() throws {
    try expect([chair]) { $0.name.contains(words: "chair") }
    try expect([chair]) { $0.name.contains(words: "CHAIR red") }
    try expect([] as [Item]) { $0.name.contains(words: "chai") }
    try expect([] as [Item]) { $0.name.contains(words: "hair") }
    try expect([] as [Item]) { $0.name.contains(words: "chair table") }
    try expect([ecole]) { $0.name.contains(words: "ECOLE!") }
    try expect([chair, table]) { $0.name.contains(words: "table chair", .anyWord) }
    try expect([] as [Item]) { $0.name.contains(words: "tab chai", .anyWord) }
    try expect([chair]) { $0.name.contains(words: "ch r", .allPrefixes) }
    try expect([chair]) { $0.name.contains(words: "red ch", .whileTyping) }
    try expect([] as [Item]) { $0.name.contains(words: "re chair", .whileTyping) }
    try expect([table, lamp]) {
      $0.name.contains(words: "t", .whileTyping) || $0.name.contains(words: "l", .whileTyping)
    }
  }

  func testASearchForNothingFindsEverything() throws {
    let all = [chair, table, lamp, ecole, orphan]
    for text in ["", "  ", " - !"] {
      for match in [WordMatch.allWords, .allPrefixes, .whileTyping] {
        try expect(all) { $0.name.contains(words: text, match) }
        // An object without a text, too.
        try expect(all) { $0.owner.boss.name.contains(words: text, match) }
      }
      try expect([] as [Item]) { $0.name.contains(words: text, .anyWord) }
    }
  }

  func testATextThatIsNotThereHasNoWord() throws {
    try expect([lamp]) { $0.owner.boss.name.contains(words: "ada") }
    try expect([chair, table, ecole, orphan]) { !$0.owner.boss.name.contains(words: "ada") }
  }

  func testCharactersOfAScriptWithoutSpacesAreFoundNextToEachOther() throws {
    (chair.name, table.name, lamp.name) = ("東京都庁", "京都の東", "ああいう")
    try expect([chair]) { $0.name.contains(words: "東京") }
    try expect([chair, table]) { $0.name.contains(words: "京都") }
    try expect([chair, table]) { $0.name.contains(words: "東 京") }
    try expect([chair, table]) { $0.name.contains(words: "東") }
    try expect([] as [Item]) { $0.name.contains(words: "都京") }
    try expect([lamp]) { $0.name.contains(words: "あいう") }
    try expect([lamp]) { $0.name.contains(words: "ああ") }
    try expect([] as [Item]) { $0.name.contains(words: "あああ") }
    try expect([chair, lamp]) { $0.name.contains(words: "いう 庁", .anyWord) }
    (chair.name, table.name) = ("iPhone用ケース", "ケース, iPhone")
    try expect([chair, table]) { $0.name.contains(words: "iph ケース", .allPrefixes) }
    try expect([chair]) { $0.name.contains(words: "iphone用", .whileTyping) }
    table.name = "東。京"
    try expect([] as [Item]) { $0.name.contains(words: "東京") }
  }

  func testTheFormsInArchivesStay() throws {
    for (match, name) in [
      (WordMatch.allWords, "allWords"), (.anyWord, "anyWord"), (.allPrefixes, "allPrefixes"),
      (.whileTyping, "whileTyping"),
    ] {
      let condition = Item.Fields(.root).name.contains(words: "Red ch", match)
      XCTAssertEqual(
        try ArchivedForm.text(condition), #"[{"op":"\#(name)","term":{"path":["name"]},"text":"Red ch"}]"#)
    }
    XCTAssertEqual(WordMatch.allCases.count, 4)
  }

  func testASearchOfWhatIsNoTextIsRefused() throws {
    let condition = Condition<Item>(steps: [.text(Term(["valueInDollars"]), .allWords, "a", [])])
    XCTAssertThrowsError(try source().compile(Fetch<Item> { _ in condition })) {
      guard case FetchError.wrongType = $0 else { return XCTFail("\($0)") }
    }
    let empty = Condition<Item>(steps: [.text(Term(["valueInDollars"]), .allWords, "", [])])
    XCTAssertThrowsError(try source().compile(Fetch<Item> { _ in empty }))
  }

  /// Against words made in another way: split by hand.
  func testSearchesFindWhatALookAtTheWordsFinds() throws {
    var random = SeededGenerator(seed: testSeed(default: 1))
    let vocabulary = ["a", "ab", "abc", "b", "ba", "bac", "c", "Ä"]
    func some(_ limit: Int) -> [String] {
      (0..<Int.random(in: 1...limit, using: &random)).map { _ in vocabulary.randomElement(using: &random) ?? "" }
    }
    let source = try source()
    for _ in 0..<500 {
      let (text, search) = (some(6), some(3))
      let folded = text.map { $0 == "Ä" ? "a" : $0 }
      let wanted = search.map { $0 == "Ä" ? "a" : $0 }
      chair.name = text.joined(separator: [" ", ", ", "-"].randomElement(using: &random) ?? " ")
      for match in WordMatch.allCases {
        let expected =
          switch match {
          case .allWords: wanted.allSatisfy { folded.contains($0) }
          case .anyWord: wanted.contains { folded.contains($0) }
          case .allPrefixes: wanted.allSatisfy { word in folded.contains { $0.hasPrefix(word) } }
          case .whileTyping:
            wanted.dropLast().allSatisfy { folded.contains($0) }
              && folded.contains { $0.hasPrefix(wanted.last ?? "") }
          }
        let fetch = Fetch<Item> { $0.name.contains(words: search.joined(separator: " "), match) && $0.id == chair.id }
        XCTAssertEqual(try source.run(fetch).count, expected ? 1 : 0, "\(search) \(match) of \(chair.name)")
      }
    }
  }
}
