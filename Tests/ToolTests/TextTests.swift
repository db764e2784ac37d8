import Foundation
import RepriseCore
import RepriseTestTool
import RepriseTool
import XCTest

/// A terminal obeys a value, or a table has no columns.
final class TextTests: XCTestCase {
  func testATerminalObeysNoValue() {
    for (text, shown) in [
      ("plain ä 🙂 👩‍👩‍👧", "plain ä 🙂 👩‍👩‍👧"), ("\u{1B}[31mred", "\\u{1b}[31mred"), ("a\nb\tc\r", "a\\nb\\tc\\r"),
      ("\u{9B}2J", "\\u{9b}2J"), ("\u{202E}txt.exe", "\\u{202e}txt.exe"),
      ("\0\u{7F}\u{2028}", "\\u{0}\\u{7f}\\u{2028}"),
      ("\u{200B}\u{FEFF}", "\\u{200b}\\u{feff}"),
    ] {
      XCTAssertEqual(PlainText.line(text), shown)
    }
    XCTAssertEqual(ValueText.line(.string("say \"a\\b\"\n")), #""say \"a\\b\"\n""#)
  }

  func testJSONHasNothingThatATerminalObeys() throws {
    var lines: [String] = []
    try Output(.json) { lines.append($0) }.json(["a\u{9B}b\u{7F}\u{202E}\u{E0001}c"])
    XCTAssertEqual(lines, [#"["a\u009bb\u007f\u202e\udb40\udc01c"]"#])
    XCTAssertEqual(
      try JSONDecoder().decode([String].self, from: Data(lines[0].utf8)), ["a\u{9B}b\u{7F}\u{202E}\u{E0001}c"])
    var table = Table([("x\u{1B}y", .left)], limit: 4)
    table.add([String(repeating: "z", count: 1_000_000)])
    XCTAssertEqual(table.lines(Style()), [#"x\u{1b}y"#, "zzz…"])
  }

  func testColumnsFitTheTerminal() {
    var table = Table([("name", .left), ("count", .right)])
    table.add(["日本語のとても長い名前", "7"])
    table.add(["short", "123456"])
    XCTAssertEqual(
      table.lines(Style()),
      ["name                     count", "日本語のとても長い名前       7", "short                   123456"])
    XCTAssertEqual(
      table.lines(Style(columns: 25)),
      ["name", "日本語のとても長い名前", "short", "Not shown, for want of r…"])
    var wide = Table([("id", .left), ("count", .right)])
    wide.add([String(repeating: "x", count: 40), "1"])
    XCTAssertEqual(wide.lines(Style(columns: 42)).last, "Not shown, for want of room: count")
    for line in table.lines(Style(columns: 20)) { XCTAssertLessThanOrEqual(PlainText.width(line), 20, line) }
    XCTAssertEqual(PlainText.cut("abcdef", to: 4), "abc…")
    XCTAssertEqual(PlainText.cut("日本語", to: 4), "日…")
  }

  func testValuesAreReadable() {
    for (value, text) in [
      (PropertyValue.null, "nil"), (.bool(true), "true"), (.int(-5), "-5"), (.double(0.1), "0.1"),
      (.date(0), "2001-01-01 00:00:00"), (.date(.infinity), "inf s"), (.bytes([1, 2]), "2 bytes"),
    ] {
      XCTAssertEqual(ValueText.line(value), text)
    }
    XCTAssertEqual(ValueText.bytes(999), "999 B")
    XCTAssertEqual(ValueText.bytes(1_500_000), "1.5 MB")
  }

  func testProgramsGetEachValue() throws {
    let values: [PropertyValue] = [
      .null, .bool(true), .int(.min), .unsigned(.max), .double(0.5), .double(.nan), .string("a\u{1B}"), .bytes([255]),
      .date(0),
    ]
    let text = try values.map { String(decoding: try JSONEncoder().encode([ValueJSON(value: $0)]), as: UTF8.self) }
    XCTAssertEqual(
      text,
      [
        "[null]", "[true]", "[-9223372036854775808]", "[18446744073709551615]", "[0.5]", #"["nan"]"#, #"["a\u001b"]"#,
        #"["\/w=="]"#, #"["2001-01-01 00:00:00"]"#,
      ])
  }

  func testNamesThatSwiftCannotSpellAreChanged() {
    for (name, text) in [
      ("title", "title"), ("class", "`class`"), ("first name", "firstName"), ("2nd", "_2nd"), ("naïve", "naïve"),
      ("a-b.c", "aBC"), ("", "_"),
    ] {
      XCTAssertEqual(SwiftName(name).text, text)
    }
    XCTAssertEqual(SwiftName("my model", isType: true).text, "MyModel")
    XCTAssertFalse(SwiftName("first name").isSame)
  }
}
