import RepriseDynamic
import RepriseObjectModel
import RepriseQuery
import RepriseTestArchives
import RepriseTestModels
import XCTest

/// Each mistake is reported at its place, with the next step.
final class FetchTextErrorTests: XCTestCase {
  private func expect(_ text: String, _ message: String, line: UInt = #line) {
    XCTAssertThrowsError(try Fetch<Item>(text: text), line: line) { XCTAssertEqual("\($0)", message, line: line) }
  }

  private func expectGrammar(
    _ text: String, _ column: Int, found: String, expected: String, line: UInt = #line
  ) {
    let message = "the text has \(found), but the grammar expects \(expected). Correct the text there."
    expect(text, "Line 1, column \(column): \(message)", line: line)
  }

  private func expectLiteral(_ text: String, _ column: Int, _ literal: String, _ reason: String, line: UInt = #line) {
    expect(text, "Line 1, column \(column): '\(literal)' is not valid: \(reason). Correct it.", line: line)
  }

  private func expectProperty(
    _ text: String, _ column: Int, _ name: String, _ expected: String, line: UInt = #line
  ) {
    let step = "Name another property, or use `any`, `all` or `count` for the members of a to-many relationship."
    expect(text, "Line 1, column \(column): \(name) is not \(expected). \(step)", line: line)
  }

  private func expectType(_ text: String, _ column: Int, _ expected: String, found: String, line: UInt = #line) {
    let message = "the value must be \(expected), but is \(found). Correct the value, or name another property."
    expect(text, "Line 1, column \(column): \(message)", line: line)
  }

  func testMistakesInTheGrammarHaveAPlace() {
    expectGrammar(
      "Item wher name", 6, found: "'wher'", expected: "'where', 'order by', 'section by', 'limit', 'offset' or the end")
    expectGrammar(
      "Item where", 11, found: "the end", expected: "a property, a value, 'not', 'any', 'all', 'none' or '('")
    expectGrammar("Item where name", 16, found: "the end", expected: "a comparison")
    expectGrammar(
      "Item where name ==", 19, found: "the end", expected: "a property, a value, 'not', 'any', 'all', 'none' or '('")
    expectGrammar(
      "Item where name == \"a\" \"b\"", 24, found: "'\"b\"'",
      expected: "an operator, 'order by', 'section by', 'limit', 'offset' or the end")
    expectGrammar("Item where (name == \"a\"", 24, found: "the end", expected: "')' for the '(' of line 1, column 12")
    expectGrammar(
      "Item where name == \"a\")", 23, found: "')'",
      expected: "an operator, 'order by', 'section by', 'limit', 'offset' or the end")
    expectGrammar("Item where valueInDollars < 1 < 2", 31, found: "'<'", expected: "'and' or 'or'")
    expectGrammar("Item where 1 == 2", 12, found: "'1'", expected: "a property or a computation")
    expectGrammar("Item where name == (name == \"a\")", 21, found: "'name'", expected: "a property or a value")
    expectGrammar(
      "Item where (name == \"a\") + 1 == 2", 26, found: "'+'", expected: "'and', 'or' or the end of the condition")
    expectGrammar("Item where valueInDollars between 1", 36, found: "the end", expected: "'and' and a second bound")
    expectGrammar(
      "Item where name contains[natural] \"a\"", 26, found: "'natural'", expected: "'nocase' or 'nodiacritic'")
    expectGrammar(
      "Item where name[upper] == \"a\"", 17, found: "'upper'",
      expected: "'nocase', 'nodiacritic', 'natural' or 'locale'")
    expectGrammar("Item where name contains 3", 26, found: "'3'", expected: "a text in quotation marks")
    expectGrammar("Item where name in (name)", 21, found: "'name'", expected: "a value")
    expectGrammar("Item where any owner.items", 27, found: "the end", expected: "'where'")
    expectGrammar("Item order name", 12, found: "'name'", expected: "'by'")
    expectGrammar("Item order by 3", 15, found: "'3'", expected: "a property or a computation")
    expectGrammar("Item limit many", 12, found: "'many'", expected: "an integer")
    expectGrammar(
      "Item order by name where isInsured", 20, found: "'where'",
      expected: "an operator, 'section by', 'limit', 'offset' or the end")
    expectGrammar(
      "Item @3", 6, found: "'@'", expected: "'where', 'order by', 'section by', 'limit', 'offset' or the end")
    expectGrammar("Item where name = \"a\" ; drop", 23, found: "';'", expected: "a name, a value or an operator")
    expectGrammar(
      "Item where name = \u{0}", 19, found: "'\\u{0}'", expected: "a name, a value or an operator")
    expectGrammar("Item where 3", 12, found: "'3'", expected: "a condition")
    expectGrammar("Item where name is 3", 20, found: "'3'", expected: "'nil'")
    XCTAssertThrowsError(try Fetch<Item>(text: "where name = \n \"e\u{301}\" und")) { error in
      XCTAssertEqual((error as? FetchTextError)?.place, TextPlace(utf8Offset: 21, line: 2, column: 6))
    }
  }

  func testInvalidLiteralsHaveAPlace() {
    expectLiteral("where name == \"a", 15, "\"a", "it has no end")
    expectLiteral(
      "where name == \"\u{202e}\u{7}\"", 17, "\"\\u{202e}",
      "a line break or another control character in it must be an escape")
    expectGrammar(
      "where \u{202e}name == 3", 7, found: "'\\u{202e}'", expected: "a name, a value or an operator")
    expectLiteral(
      "where name == \"a\n\"", 17, "\"a", "a line break or another control character in it must be an escape")
    expectLiteral(
      "where name == \"a\\q\"", 17, "\"a\\q", "the escapes are \\n, \\r, \\t, \\0, \\\\, \\\", \\', \\` and \\u{…}")
    expectLiteral(
      "where name == \"\\u{D800}\"", 16, "\"\\u{D800",
      "an escape needs a Unicode scalar in hexadecimal digits, as in \\u{e9}")
    expectLiteral("where name == \"\\", 15, "\"\\", "it has no end")
    expectLiteral(
      "where valueInDollars == 99999999999999999999", 25, "99999999999999999999", "it does not fit into 64 bits")
    expectLiteral("where weight == 1e999", 17, "1e999", "it does not fit into 64 bits")
    expectLiteral("where weight == -3u", 17, "-3u", "an unsigned number has no sign and no fraction")
    expectLiteral("where valueInDollars == 12ab", 25, "12", "a name cannot begin with a digit")
    expectLiteral(
      "where weight == 2026-02-30", 17, "2026-02-30",
      "a date is written as 2026-11-20 or 2026-11-20T12:00:00Z, and must exist")
    expectLiteral("where photo == x\"0\"", 19, "x\"0", "bytes are pairs of hexadecimal digits, as in x\"00ff\"")
    expectLiteral("where photo == x\"0g\"", 19, "x\"0", "bytes are pairs of hexadecimal digits, as in x\"00ff\"")
    expectGrammar("where weight == date(\"a\")", 22, found: "'\"a\"'", expected: "the seconds since 2001")
    expectGrammar("where weight == nan(x\"00\")", 21, found: "'x\"00\"'", expected: "8 bytes")
    expectGrammar(
      "where weight == nan(x\"0000000000000000\")", 21, found: "'x\"0000000000000000\"'", expected: "the bits of a NaN")
    expectGrammar("where photo == blob(3, x\"00\")", 24, found: "'x\"00\"'", expected: "a SHA-256 of 32 bytes")
    expectGrammar("where photo == blob(-1, x\"00\")", 21, found: "'-'", expected: "the number of bytes of a blob")
    expectLiteral("where `name == 3", 7, "`name == 3", "it has no end")
  }

  func testADamagedArchiveReportsThePlace() {
    XCTAssertEqual(
      ArchivedForm.problem(of: "\"Item limit x\"", as: FetchText.self),
      "Line 1, column 12: the text has 'x', but the grammar expects an integer. Correct the text there.")
  }

  func testWrongNamesHaveAPlace() throws {
    expect("Itme where name == 3", "Line 1, column 1: there is no model 'Itme'. Did you mean 'Item'? Correct the name.")
    expect(
      "Item where nmae == \"a\"",
      "Line 1, column 12: Item has no property 'nmae'. Did you mean 'name'? Correct the name.")
    expect(
      "Item where owner.nam == \"a\"",
      "Line 1, column 18: Person has no property 'nam'. Did you mean 'name'? Correct the name.")
    expect(
      "Item where somethingElse == \"a\"",
      "Line 1, column 12: Item has no property 'somethingElse'. Use one of the properties that its `entity` lists.")
    expectProperty("Item where name.length == 3", 12, "Item.name", "a to-one relationship")
    expectProperty("Item where owner.items == 3", 18, "Person.items", "an attribute or a to-one relationship")
    expectProperty("Item where count(name) == 3", 18, "Item.name", "a to-many relationship")
    expectProperty("Item where any owner where (name == \"a\")", 16, "Item.owner", "a to-many relationship")
    expect(
      "Item where any owner.items where (zip == 3)",
      "Line 1, column 35: Item has no property 'zip'. Use one of the properties that its `entity` lists.")
    expectProperty("Item order by owner.items", 21, "Person.items", "an attribute or a to-one relationship")
    let text = try FetchText("Itme")
    XCTAssertThrowsError(try text.entity(among: [Item.entity, Person.entity])) {
      XCTAssertEqual("\($0)", "Line 1, column 1: there is no model 'Itme'. Did you mean 'Item'? Correct the name.")
    }
    XCTAssertThrowsError(try FetchText(" where a == 1")) {
      XCTAssertEqual(
        "\($0)",
        "Line 1, column 2: the text has 'where', but the grammar expects the name of a model. Correct the text there.")
    }
    XCTAssertThrowsError(try FetchText("Note").entity(among: [Item.entity])) {
      XCTAssertEqual(
        "\($0)", "Line 1, column 1: there is no model 'Note'. Correct the name, or open the store with that model.")
    }
  }

  func testValuesOfOtherTypesHaveAPlace() {
    expectType("where name == 3", 15, "a text", found: "an integer")
    expectType("where valueInDollars == 3.5", 25, "an integer", found: "a floating-point number")
    expectType("where valueInDollars in (1, \"a\")", 29, "an integer", found: "a text")
    expectType("where valueInDollars == name", 25, "an integer", found: "a text")
    expectType("where valueInDollars contains \"a\"", 7, "a text", found: "an integer")
    expectType("where valueInDollars + weight > 3", 24, "an integer", found: "a floating-point number")
    expectType("where name + 1 > 3", 7, "a number or a date", found: "a text")
    expectType(
      "where owner == Item/00000000-0000-0001-0000-000000000002", 16, "an object of Person", found: "an object of Item")
    expectGrammar("where valueInDollars or isInsured", 22, found: "'or'", expected: "a comparison")
  }

  /// Neither the parser nor the printer recurses.
  func testDeepTextsDoNotOverflowTheStack() throws {
    func nested(_ before: String, _ inner: String, _ after: String, _ depth: Int = 3_000) -> String {
      "where " + String(repeating: before, count: depth) + inner + String(repeating: after, count: depth)
    }
    let plain = Fetch<Person> { $0.zip == 1 }
    XCTAssertEqual(try Fetch<Person>(text: nested("(", "zip == 1", ")", 100_000)), plain)
    XCTAssertEqual(try Fetch<Person>(text: nested("(", "zip", ")", 100_000) + " == 1"), plain)
    let test = try TextStore()
    for text in [
      nested("not ", "zip == 1", ""), nested("-(", "zip", ")") + " == 1", nested("zip + (", "1", ")") + " > 1",
      nested("zip == 1 or (", "true", ")"), nested("double(", "zip", ")") + " > 1.0",
      nested("zip == 1 and ", "true", ""), nested("any reports where (", "zip == 1", ")"),
    ] {
      let fetch = try Fetch<Person>(text: text)
      XCTAssertEqual(try Fetch<Person>(text: fetch.text), fetch)
      do { _ = try test.context.fetch(fetch) } catch FetchError.tooDeep {}
    }
    for before in ["(", "not ", "-", "any reports where (", "-(", "zip == 1 or ("] {
      XCTAssertThrowsError(try Fetch<Person>(text: nested(before, "", "", before.count == 1 ? 100_000 : 10_000))) {
        XCTAssertTrue($0 is FetchTextError)
      }
    }
  }
}
