import Foundation
import RepriseCore
import RepriseDynamic
import RepriseInspector
import RepriseTestModels
import RepriseTestTool
import XCTest

/// The page changes something else than it shows.
@MainActor
final class RevertingTests: XCTestCase {
  private var test: ToolStore!
  private var store: Store!
  private var inspection: Inspection!

  override func setUp() async throws {
    test = try await ToolStore()
    try await test.store.close()
    store = try await Store.open(inspecting: test.path, editing: true)
    inspection = Inspection(store, isEditable: true, author: "inspector", live: nil)
  }

  override func tearDown() async throws { try await store.close() }

  private func post(_ path: String, _ body: [String: Any]) async throws -> (status: Int, json: [String: Any]) {
    let data = try JSONSerialization.data(withJSONObject: body)
    let answer = await inspection.answer(PageRequest(.post, path, body: Array(data)))
    guard case .bytes(let bytes) = answer.body else { return (answer.status, [:]) }
    return (answer.status, try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any] ?? [:])
  }

  private func lastName(of name: String) throws -> PropertyValue? {
    let id = try XCTUnwrap(AnyObjectID(test.id(name)))
    return try RootContext(store).object(id)["last"]
  }

  func testAPreviewSaves() async throws {
    let preview = try await post("api/revert", ["position": 3])
    XCTAssertEqual(preview.status, 200)
    XCTAssertEqual((preview.json["changes"] as? [[String: Any]])?.count, 1)
    XCTAssertEqual((preview.json["conflicts"] as? [Any])?.count, 0)
    XCTAssertTrue(preview.json["saved"] is NSNull)
    XCTAssertEqual(store.log.head, 4)
  }

  func testARevertIsNotSaved() async throws {
    let unseen = try await post("api/revert", ["position": 3, "save": true])
    XCTAssertTrue(unseen.json["saved"] is NSNull)
    let saved = try await post("api/revert", ["position": 3, "save": true])
    XCTAssertEqual(saved.json["saved"] as? Int, 5)
    XCTAssertEqual(try lastName(of: "EVE"), .string("Smith"))
    let transaction = try XCTUnwrap(store.log.transaction(at: 5))
    XCTAssertEqual(transaction.undoes, 3)
    XCTAssertEqual(transaction.author, "inspector")
    let again = try await post("api/revert", ["position": 3, "save": false])
    XCTAssertEqual(again.json["isNothing"] as? Bool, true)
  }

  func testAConflictIsOverwritten() async throws {
    let context = RootContext(store, author: "cyd")
    try context.object(XCTUnwrap(AnyObjectID(test.id("EVE")))).set("last", to: .string("Klein"))
    try await context.save()
    let open = try await post("api/revert", ["position": 3])
    let conflicts = try XCTUnwrap(open.json["conflicts"] as? [[String: Any]])
    XCTAssertEqual(conflicts.map { $0["property"] as? String }, ["last"])
    XCTAssertEqual(conflicts.first?["mine"] as? String, "Smith")
    XCTAssertEqual(conflicts.first?["theirs"] as? String, "Klein")
    XCTAssertEqual(conflicts.first?["transactions"] as? [Int], [5])
    XCTAssertTrue(open.json["saved"] is NSNull)
    XCTAssertEqual(try lastName(of: "EVE"), .string("Klein"))
    let unanswered = try await post("api/revert", ["position": 3, "save": true])
    XCTAssertEqual(unanswered.status, 409)
    _ = try await post("api/revert", ["position": 3, "answers": ["0": "mine"]])
    let resolved = try await post("api/revert", ["position": 3, "save": true, "answers": ["0": "mine"]])
    XCTAssertEqual(resolved.json["saved"] as? Int, 6)
    XCTAssertEqual(try lastName(of: "EVE"), .string("Smith"))
  }

  func testAnUnseenChangeIsReverted() async throws {
    _ = try await post("api/revert", ["position": 3])
    let context = RootContext(store, author: "cyd")
    try context.object(XCTUnwrap(AnyObjectID(test.id("EVE")))).set("last", to: .string("Klein"))
    try await context.save()
    let outdated = try await post("api/revert", ["position": 3, "save": true])
    XCTAssertEqual(outdated.json["isOutdated"] as? Bool, true)
    XCTAssertEqual((outdated.json["conflicts"] as? [Any])?.count, 1)
    XCTAssertTrue(outdated.json["saved"] is NSNull)
    XCTAssertEqual(try lastName(of: "EVE"), .string("Klein"))
  }

  func testAMistakeIsSaved() async throws {
    let expected: [(String, [String: Any], Int, String)] = [
      ("api/revert", ["position": 99], 409, ""),
      (
        "api/revert", ["position": 3, "answers": ["x": "mine"]], 400,
        "The body of the request cannot be read: 'x' is no number of a conflict. Reload the page."
      ),
      (
        "api/revert", ["position": "3"], 400,
        "The body of the request cannot be read: it is not the JSON that 'api/revert' expects. Reload the page."
      ),
      ("api/other", [:], 404, "The inspector has nothing at 'api/other'. Reload the page."),
    ]
    for (path, body, status, message) in expected {
      let answer = try await post(path, body)
      XCTAssertEqual(answer.status, status)
      if !message.isEmpty { XCTAssertEqual(answer.json["message"] as? String, message) }
    }
    XCTAssertEqual(store.log.head, 4)
  }

  private func draft(_ id: String, last: String) async throws {
    let context = try RootContext(store, author: "cyd", draft: id)
    try context.object(XCTUnwrap(AnyObjectID(test.id("EVE")))).set("last", to: .string(last))
    try await store.flush()
  }

  private func drafts() async throws -> [[String: Any]] {
    let answer = await inspection.answer(PageRequest(.get, "api/drafts"))
    guard case .bytes(let bytes) = answer.body else { return [] }
    let json = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
    return json?["drafts"] as? [[String: Any]] ?? []
  }

  func testADraftIsNotShown() async throws {
    try await draft("editor", last: "Klein")
    let found = try await drafts()
    XCTAssertEqual(found.map { $0["id"] as? String }, ["editor"])
    let changes = try XCTUnwrap(found.first?["changes"] as? [[String: Any]])
    let property = try XCTUnwrap((changes.first?["properties"] as? [[String: Any]])?.first)
    XCTAssertEqual(property["old"] as? String, "Jones")
    XCTAssertEqual(property["new"] as? String, "Klein")
    let file = await inspection.answer(PageRequest(.get, "api/draft", query: ["id": "editor"]))
    XCTAssertEqual(file.fileName, "draft-editor.jsonl")
    let text = try await Self.text(file.body)
    XCTAssertTrue(text.hasPrefix(#"{"reprise-draft":1,"draft":"editor","parent":null,"author":"cyd","base":4,"#), text)
    XCTAssertTrue(text.contains(#""change":"updated","old":{"last":"Jones"},"values":{"last":"Klein"}}"#), text)
    let missing = await inspection.answer(PageRequest(.get, "api/draft", query: ["id": "x"]))
    XCTAssertEqual(missing.status, 404)
  }

  nonisolated private static func text(_ body: PageAnswer.Body) async throws -> String {
    guard case .stream(let body) = body else { return "" }
    var text = ""
    try await body { text += String(decoding: $0, as: UTF8.self) }
    return text
  }

  func testADiscardedDraftIsSaved() async throws {
    try await draft("editor", last: "Klein")
    let discarded = try await post("api/draft", ["id": "editor", "action": "discard"])
    XCTAssertEqual(discarded.status, 200)
    XCTAssertEqual(store.log.head, 4)
    let left = try await drafts()
    XCTAssertEqual(left.count, 0)
  }

  func testASavedDraftIsDiscarded() async throws {
    try await draft("editor", last: "Klein")
    let saved = try await post("api/draft", ["id": "editor", "action": "save"])
    XCTAssertEqual(saved.json["saved"] as? Int, 5)
    XCTAssertEqual(try lastName(of: "EVE"), .string("Klein"))
    let left = try await drafts()
    XCTAssertEqual(left.count, 0)
  }

  func testADraftInUseIsTaken() async throws {
    let context = try RootContext(store, draft: "editor")
    try context.object(XCTUnwrap(AnyObjectID(test.id("EVE")))).set("last", to: .string("Klein"))
    let refused = try await post("api/draft", ["id": "editor", "action": "discard"])
    XCTAssertEqual(refused.status, 409)
    XCTAssertTrue(context.hasChanges)
  }
}
