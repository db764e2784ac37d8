import Foundation
import RepriseCore
import RepriseTestTool
import RepriseTool
import XCTest

/// Drafts or screens of a store are shown wrongly.
@MainActor
final class KeptWorkTests: XCTestCase {
  private var test: ToolStore!

  override func setUp() async throws {
    test = try await ToolStore()
    try await test.edit()
  }

  override func tearDown() async throws { try await test.store.close() }

  private func lines(_ form: Output.Form = .text(Style()), _ body: (Output) throws -> Void) throws -> String {
    try test.lines(form, body).joined(separator: "\n")
  }

  private func draft() throws -> RootContext {
    let context = try RootContext(test.store, author: "ada", draft: "editor-7")
    let eve = try context.object(Places(test.store).object(test.id("EVE"), in: context))
    try eve.set("last", to: .string("Mil\u{1B}ler"))
    return context
  }

  func testDraftsAreListed() async throws {
    XCTAssertEqual(try lines { try DraftsReport(test.store).write(to: $0) }, "The store has no drafts.")
    let context = try draft()
    let table = try test.lines { try DraftsReport(test.store).write(to: $0) }
    XCTAssertEqual(
      table[0].split(separator: " ").joined(separator: " "), "draft author time base objects size steps in use")
    XCTAssertTrue(table[1].hasPrefix("editor-7  ada     "), table[1])
    XCTAssertTrue(table[1].hasSuffix("  yes"), table[1])
    XCTAssertFalse(table[1].contains("1970"), "The turn of the edit has not ended. " + table[1])
    let json =
      try JSONSerialization.jsonObject(
        with: Data(try lines(.json) { try DraftsReport(test.store).write(to: $0) }.utf8)) as? [String: Any]
    XCTAssertEqual(json?["id"] as? String, "editor-7")
    XCTAssertEqual(json?["objects"] as? [String], ["EVE"])
    XCTAssertEqual(json?["base"] as? Int, 4)
    withExtendedLifetime(context) {}
  }

  func testTheChangesOfADraftAreShown() async throws {
    let context = try draft()
    let shown = try DraftsReport(test.store).draft("editor-7")
    let text = try test.lines { try shown.write(to: $0) }
    XCTAssertTrue(text[0].hasPrefix("editor-7  by ada, based on @4, "), text[0])
    XCTAssertTrue(text[0].hasSuffix(", in use"), text[0])
    XCTAssertEqual(
      text.dropFirst().joined(separator: "\n"),
      """
        ~ EVE
            last: "Jones" → "Mil\\u{1b}ler"
      """)
    XCTAssertEqual(shown.question, "Discard the draft 'editor-7' with the edits of 1 object?")
    let child = try context.makeChild(draft: "field")
    try child.object(Places(test.store).object(test.id("EVE"), in: child)).set("age", to: .int(31))
    let below = try DraftsReport(test.store).draft("field")
    XCTAssertEqual(try test.lines { try below.write(to: $0) }[1], "  child of the draft editor-7")
    withExtendedLifetime(child) {}
    XCTAssertThrowsError(try DraftsReport(test.store).draft("other")) {
      XCTAssertEqual("\($0)", "The store has no draft 'other'. It has: editor-7, field.")
    }
  }

  private struct Page: Codable, Sendable {
    var title = "A \"b\""
    var row: Int? = 3
    var marks: [Bool] = [true]
  }
  private final class Screen {}

  private func scene() async throws -> Restoration {
    let kind = NodeKind<Page, Screen>("Page")
    let restoration = Restoration(test.store, scene: "window", appVersion: "1.2")
    try restoration.define(kind, needs: .registered("library" as RestorationKey<Screen>)) { _, _ in Screen() }
    try restoration.register(Screen(), as: "library" as RestorationKey<Screen>)
    try await restoration.restore()
    try restoration.open(kind, id: "shelf", state: Page())
    try restoration.open(kind, id: "book", under: NodePath(["shelf"]), state: Page(row: nil))
    try await restoration.flush()
    return restoration
  }

  func testScenesAreListed() async throws {
    XCTAssertEqual(try lines { try ScenesReport(test.store).write(to: $0) }, "The store has no scenes.")
    let restoration = try await scene()
    let table = try test.lines { try ScenesReport(test.store).write(to: $0) }
    XCTAssertEqual(
      table[0].split(separator: " ").joined(separator: " "), "scene nodes saved program last exit in use")
    XCTAssertTrue(table[1].hasPrefix("window      2  20"), table[1])
    XCTAssertTrue(table[1].hasSuffix("1.2      unknown    yes"), table[1])
    restoration.end()
    let json = try lines(.json) { try ScenesReport(test.store).write(to: $0) }
    XCTAssertTrue(json.contains(#""isInUse":false,"isSetAside":false,"lastExit":"clean","name":"window""#), json)
  }

  func testTheNodesOfASceneAreShown() async throws {
    let restoration = try await scene()
    let tree = try ScenesReport(test.store).tree(of: "window")
    XCTAssertEqual(
      try lines { try tree.write(to: $0) },
      """
      window
        shelf  Page v1  {"marks": [true], "row": 3, "title": "A \\"b\\""}
          needs: library
          book  Page v1  {"marks": [true], "title": "A \\"b\\""}
            needs: library
      """)
    let json =
      try JSONSerialization.jsonObject(
        with: Data(try lines(.json) { try tree.write(to: $0) }.utf8)) as? [String: Any]
    let node = try XCTUnwrap((json?["nodes"] as? [[String: Any]])?.first)
    XCTAssertEqual(node["path"] as? String, "shelf")
    XCTAssertEqual((node["state"] as? [String: Any])?["row"] as? Int, 3)
    XCTAssertEqual(tree.question, "Remove the scene 'window' with the states of 2 screens? Drafts stay.")
    XCTAssertThrowsError(try ScenesReport(test.store).tree(of: "main")) {
      XCTAssertEqual("\($0)", "The store has no scene 'main'. It has: window.")
    }
    withExtendedLifetime(restoration) {}
  }

  func testEveryStateIsShown() async throws {
    let bytes: [UInt8] = [1, 2]
    for (state, line, json) in [
      (StateValue.null, "null", "null"), (.double(1.5), "1.5", "1.5"), (.wide(UInt128.max), "\(UInt128.max)", nil),
      (.bytes(bytes), "2 bytes", #""AQI=""#), (.reference("a"), "→ a", #""→ a""#),
      (.text("\u{1B}"), #""\u{1b}""#, nil), (.double(.infinity), "inf", #""inf""#),
    ] as [(StateValue, String, String?)] {
      XCTAssertEqual(StateJSON(state).line, line)
      if let json { XCTAssertEqual(try lines(.json) { try $0.json([StateJSON(state)]) }, "[\(json)]") }
    }
  }

  func testARemovalIsReported() async throws {
    XCTAssertEqual(try lines { try RemovalText("a\u{1B}b").write(to: $0) }, #"Removed 'a\u{1b}b'."#)
    XCTAssertEqual(try lines(.json) { try RemovalText("a").write(to: $0) }, #"{"removed":"a"}"#)
  }
}
