import Foundation
import RepriseCore
import RepriseDynamic
import RepriseInspector
import RepriseTestModels
import RepriseTestTool
import XCTest

/// A resumed draft is lost, stays in use, or takes a wrong value.
@MainActor
final class ResumingTests: XCTestCase {
  private var test: ToolStore!
  private var store: Store { test.store }
  private var inspection: Inspection!

  override func setUp() async throws {
    test = try await ToolStore()
    try await test.edit()
    inspection = Inspection(store, isEditable: true, author: "kim", live: nil, patience: .milliseconds(20))
    // Otherwise the drafts would be closed during a test.
    await inspection.pagesChanged(by: 1)
    try await leave("editor", author: "cyd")
  }

  override func tearDown() async throws { try await store.close() }

  /// Leaves a draft that no context has.
  private func leave(_ id: String, author: String?, last: String = "Klein") async throws {
    let context = try RootContext(store, author: author, draft: id)
    try context.object(eve).set("last", to: .string(last))
    try await store.flush()
  }

  private var eve: AnyObjectID { AnyObjectID(test.id("EVE"))! }

  private func post(_ path: String, _ body: [String: Any]) async throws -> (status: Int, json: [String: Any]) {
    let data = try JSONSerialization.data(withJSONObject: body)
    return try Self.parts(await inspection.answer(PageRequest(.post, path, body: Array(data))))
  }

  private func get(_ path: String, _ query: [String: String]) async throws -> [String: Any] {
    try Self.parts(await inspection.answer(PageRequest(.get, path, query: query))).json
  }

  private static func parts(_ answer: PageAnswer) throws -> (status: Int, json: [String: Any]) {
    guard case .bytes(let bytes) = answer.body else { return (answer.status, [:]) }
    return (answer.status, try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any] ?? [:])
  }

  private func resume(_ action: String = "resume", _ id: String = "editor") async throws -> String {
    let answer = try await post("api/resumed", ["id": id, "action": action])
    return "\(answer.status) \(answer.json["message"] ?? "")"
  }

  private func set(_ property: String, _ text: String?) async throws -> String {
    var body: [String: Any] = ["draft": "editor", "object": test.id("EVE"), "property": property]
    body["text"] = text
    let answer = try await post("api/value", body)
    return "\(answer.status) \(answer.json["message"] ?? "")"
  }

  func testTheStateOfADraftIsAnother() async throws {
    _ = try await resume()
    let state = try await get("api/resumed", ["draft": "editor"])
    XCTAssertEqual(state["updated"] as? Int, 1)
    XCTAssertEqual(state["author"] as? String, "cyd")
    XCTAssertEqual(state["canUndo"] as? Bool, true)
    XCTAssertEqual(state["conflicts"] as? Int, 0)
    let rows = try await get("api/rows", ["fetch": "Guest", "draft": "editor"])["rows"] as? [[String: Any]]
    XCTAssertEqual((rows?.first?["values"] as? [String: Any])?["last"] as? String, "Klein")
    XCTAssertEqual(rows?.first?["unsaved"] as? [String], ["last"])
    let saved = try await get("api/rows", ["fetch": "Guest"])["rows"] as? [[String: Any]]
    XCTAssertEqual((saved?.first?["values"] as? [String: Any])?["last"] as? String, "Jones")
    XCTAssertNil(saved?.first?["unsaved"])
    // The number of objects is kept for each version of the draft.
    for (text, count) in [("Gross", 0), ("Klein", 1)] {
      _ = try await set("last", text)
      let found = try await get("api/rows", ["fetch": "Guest where last == \"Klein\"", "draft": "editor"])
      XCTAssertEqual(found["total"] as? Int, count)
    }
  }

  func testAnEditIsNotInTheDraft() async throws {
    _ = try await resume()
    let edited = try await set("age", " 31 ")
    XCTAssertEqual(edited, "200 ")
    let object = try await get("api/object", ["id": test.id("EVE"), "draft": "editor"])
    XCTAssertEqual((object["values"] as? [String: Any])?["age"] as? Int, 31)
    XCTAssertEqual((object["written"] as? [String: Any])?["age"] as? String, "31")
    XCTAssertEqual((object["unsaved"] as? [String: [String: Any]])?["age"]?["old"] as? Int, 30)
    let info = try XCTUnwrap(store.drafts.all().first)
    XCTAssertEqual(info.groupCount, 2)
    XCTAssertEqual(info.lastGroupName, "Edit age")
    _ = try await resume("undo")
    XCTAssertEqual(try store.drafts.all().first?.groupCount, 1)
    _ = try await resume("redo")
    XCTAssertEqual(try store.drafts.all().first?.groupCount, 2)
    _ = try await set("age", nil)
    let empty = try await get("api/object", ["id": test.id("EVE"), "draft": "editor"])
    XCTAssertTrue((empty["values"] as? [String: Any])?["age"] is NSNull)
    XCTAssertEqual(store.log.head, 4)
  }

  func testAWrongValueHasNoReason() async throws {
    _ = try await resume()
    let hint = "Write a whole number, such as -42."
    let expected: [(String, String?, String)] = [
      ("arrival", "soon", "400 'soon' is no value for 'arrival'. Nothing was changed. \(hint)"),
      ("arrival", nil, "400 'arrival' cannot be nil. Nothing was changed. \(hint)"),
      ("arrival", " ", "400 'arrival' cannot be nil. Nothing was changed. \(hint)"),
      ("last", nil, "400 'last' cannot be nil. Nothing was changed. Write a text."),
      (
        "hotel", "HOTEL",
        "400 'hotel' cannot be edited here, because it is data, a relationship or derived. Edit it in the program of "
          + "the store."
      ),
      (
        "size", "1",
        "400 Guest has no property 'size'. It has: first, last, age, arrival, departure, mood, fullName, hotel."
      ),
    ]
    for (property, text, message) in expected {
      let answer = try await set(property, text)
      XCTAssertEqual(answer, message)
    }
    XCTAssertEqual(try store.drafts.all().first?.groupCount, 1)
  }

  func testARefusedDraftHasNoReason() async throws {
    let unknown = try await resume("resume", "x")
    XCTAssertEqual(unknown, "404 The store has no draft 'x'. It has: editor.")
    let closed =
      "409 The draft 'editor' is not open here, because somebody closed, saved or discarded it. Look for it in the "
      + "list of drafts, and resume it again."
    for action in ["undo", "redo", "close"] {
      let answer = try await resume(action)
      XCTAssertEqual(answer, closed)
    }
    let edit = try await set("age", "31")
    XCTAssertEqual(edit, closed)
    let shown = try await get("api/resumed", ["draft": "editor"])
    XCTAssertEqual(shown["isClosed"] as? Bool, true)
    let context = try RootContext(store, draft: "editor")
    let used = try await resume()
    XCTAssertEqual(
      used,
      "409 The draft 'editor' is in use by process \(ProcessInfo.processInfo.processIdentifier). Close it there first, "
        + "and resume it here then.")
    XCTAssertEqual(
      "\(PageFailure.draftInUse("editor", process: nil))",
      "The draft 'editor' is in use by another process. Close it there first, and resume it here then.")
    withExtendedLifetime(context) {}
    XCTAssertEqual(
      "\(PageFailure.draftIsEnding("editor"))",
      "The draft 'editor' is being saved, so it cannot change. Try again when the save has ended.")
  }

  func testAChildIsResumedAlone() async throws {
    do {
      let parent = try RootContext(store, draft: "parent")
      let child = try parent.makeChild(draft: "child")
      try child.object(eve).set("first", to: .string("Eva"))
      try parent.object(eve).set("age", to: .int(31))
      try await store.flush()
    }
    let answer = try await resume("resume", "child")
    XCTAssertEqual(answer, "409 The draft 'child' is a part of the draft 'parent'. Resume that one.")
  }

  func testAReaderResumes() async throws {
    inspection = Inspection(store, isEditable: false, author: "kim", live: nil)
    let message = "403 This inspector only reads. Start it for editing, with 'reprise inspect --edit'."
    let resumed = try await resume()
    XCTAssertEqual(resumed, message)
    let edited = try await set("age", "31")
    XCTAssertEqual(edited, message)
  }

  func testADraftStaysInUse() async throws {
    _ = try await resume()
    XCTAssertThrowsError(try RootContext(store, draft: "editor"))
    _ = try await resume("close")
    XCTAssertNoThrow(try RootContext(store, draft: "editor"))
    _ = try await resume()
    await inspection.pagesChanged(by: -1)
    while (try? RootContext(store, draft: "editor")) == nil { try await Task.sleep(for: .milliseconds(5)) }
    await inspection.pagesChanged(by: 1)
    let again = try await resume()
    XCTAssertEqual(again, "200 ")
    await inspection.end()
    XCTAssertNoThrow(try RootContext(store, draft: "editor"))
  }

  func testAResumedDraftEndsOtherwise() async throws {
    try await leave("other", author: nil)
    _ = try await resume("resume", "other")
    let saved = try await post("api/draft", ["id": "other", "action": "save"])
    XCTAssertEqual(saved.json["saved"] as? Int, 5)
    let transaction = try XCTUnwrap(store.log.transaction(at: 5))
    XCTAssertEqual(transaction.author, "kim")
    XCTAssertEqual(transaction.name, "Save a draft in the inspector")
    _ = try await resume()
    let discarded = try await post("api/draft", ["id": "editor", "action": "discard"])
    XCTAssertEqual(discarded.status, 200)
    XCTAssertEqual(try store.drafts.all().map(\.id), [])
    try await leave("editor", author: "cyd", last: "Gross")
    _ = try await resume()
    _ = try await resume("undo")
    let nothing = try await post("api/draft", ["id": "editor", "action": "save"])
    XCTAssertTrue(nothing.json["saved"] is NSNull)
    XCTAssertEqual(try store.drafts.all().map(\.id), [])
    XCTAssertEqual(store.log.head, 5)
  }

  func testARefusedSaveLosesTheDraft() async throws {
    _ = try await resume()
    try await test.set("last", of: "EVE", to: .string("Gross"), by: "bob")
    let open = try await post("api/draft", ["id": "editor", "action": "save"])
    XCTAssertEqual(open.status, 409)
    XCTAssertEqual(open.json["conflictCount"] as? Int, 1)
    let state = try await get("api/resumed", ["draft": "editor"])
    XCTAssertEqual(state["conflicts"] as? Int, 1)
    let kept = try await set("age", "32")
    XCTAssertEqual(kept, "200 ")
    let saved = try await post("api/draft", ["id": "editor", "action": "save", "answer": "theirs"])
    XCTAssertEqual(saved.json["saved"] as? Int, 6)
    let object = try RootContext(store).object(eve)
    XCTAssertEqual(try object["last"], .string("Gross"))
    XCTAssertEqual(try object["age"], .int(32))
    XCTAssertEqual(try store.log.transaction(at: 6)?.author, "cyd")
  }
}

/// A field of the page gives another value than it shows.
final class WrittenValueTests: XCTestCase {
  func testAFieldChangesAValue() throws {
    let id = try XCTUnwrap(UniqueID("01890a5d-ac96-774b-bcce-b302099a8057"))
    let values: [(PropertyValue, AttributeKind, String)] = [
      (.bool(true), .bool, "true"), (.int(-42), .int, "-42"), (.int(.min), .int, "-9223372036854775808"),
      (.unsigned(.max), .unsigned, "18446744073709551615"), (.double(0.1), .double, "0.1"),
      (.double(-.infinity), .double, "-inf"), (.uuid(id), .uuid, "01890a5d-ac96-774b-bcce-b302099a8057"),
      (.date(0), .date, "2001-01-01"), (.date(0.5), .date, "2001-01-01 00:00:00.5"),
      (.date(1e300), .date, "date(1e+300)"),
    ]
    for (value, kind, text) in values {
      XCTAssertEqual(WrittenValue.text(of: value), text)
      XCTAssertEqual(WrittenValue.value(text, of: kind), value)
    }
    XCTAssertEqual(WrittenValue.value("2001-01-01 01:30", of: .date), .date(5_400))
    XCTAssertEqual(WrittenValue.value("2001-01-01T01:30:00+01:00", of: .date), .date(1_800))
    XCTAssertEqual(WrittenValue.value(" two\nlines ", of: .string), .string(" two\nlines "))
  }

  func testAWrongTextIsAValue() {
    let texts: [(String, AttributeKind)] = [
      ("", .int), ("1.5", .int), ("9223372036854775808", .int), ("-1", .unsigned), ("1,5", .double), ("yes", .bool),
      ("2001-02-30", .date), ("tomorrow", .date), ("2001-01-01x12:00", .date), ("1", .uuid), ("00", .bytes),
    ]
    for (text, kind) in texts { XCTAssertNil(WrittenValue.value(text, of: kind), text) }
    let hints: [(AttributeKind, String?)] = [
      (.string, "Write a text."), (.bool, "Write true or false."), (.int, "Write a whole number, such as -42."),
      (.unsigned, "Write a whole number from 0, such as 42."), (.double, "Write a number, such as 4.5."),
      (.uuid, "Write a UUID, such as 01890a5d-ac96-774b-bcce-b302099a8057."),
      (.date, "Write a date or a time in UTC, such as 2026-11-20 18:30."), (.bytes, nil), (.blob, nil),
    ]
    for (kind, hint) in hints { XCTAssertEqual(WrittenValue.hint(kind), hint) }
  }
}
