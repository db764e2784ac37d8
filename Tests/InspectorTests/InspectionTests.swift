import Foundation
import RepriseCore
import RepriseInspector
import RepriseTestTool
import XCTest

/// An answer differs from what the store has.
@MainActor
final class InspectionTests: XCTestCase {
  private var test: ToolStore!
  private var inspection: Inspection!

  override func setUp() async throws {
    test = try await ToolStore()
    inspection = Inspection(test.store, isEditable: false, author: "inspector", live: nil)
  }

  override func tearDown() async throws { try await test.store.close() }

  /// The answer, with the names of objects instead of their IDs.
  private func answer(_ path: String, _ query: [String: String] = [:]) async throws -> String {
    let answer = await inspection.answer(PageRequest(.get, path, query: query))
    guard case .bytes(let bytes) = answer.body else { return "" }
    let line = try test.lines { try $0.line(String(decoding: bytes, as: UTF8.self)) }.joined()
    return answer.status == 200 ? line : "\(answer.status) \(line)"
  }

  private func object(_ path: String, _ query: [String: String] = [:]) async throws -> [String: Any] {
    let text = try await answer(path, query)
    return try XCTUnwrap(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any], text)
  }

  func testAnEntityIsMissing() async throws {
    let store = try await object("api/store")
    let entities = try XCTUnwrap(store["entities"] as? [[String: Any]])
    XCTAssertEqual(entities.map { $0["name"] as? String }, ["Guest", "Hotel"])
    XCTAssertEqual(entities.map { $0["count"] as? Int }, [1, 1])
    XCTAssertEqual(store["isEditable"] as? Bool, false)
    XCTAssertEqual(store["isLive"] as? Bool, false)
    XCTAssertEqual((store["head"] as? [String: Any])?["position"] as? Int, 4)
  }

  func testRowsAreOfAnotherMoment() async throws {
    func names(_ query: [String: String]) async throws -> [String] {
      let rows = try await object("api/rows", query)["rows"] as? [[String: Any]]
      return (rows ?? []).map { row in
        let values = row["values"] as? [String: Any]
        return "\(values?["first"] ?? "") \(values?["last"] ?? "")"
      }
    }
    let fetch = "Guest order by first"
    let now = try await names(["fetch": fetch])
    XCTAssertEqual(now, ["Eve Jones"])
    let married = try await names(["fetch": fetch, "at": "3"])
    XCTAssertEqual(married, ["Bob Stone", "Eve Jones"])
    let before = try await names(["fetch": "\(fetch) desc @2", "at": "3"])
    XCTAssertEqual(before, ["Eve Smith", "Bob Stone"])
    let second = try await names(["fetch": fetch, "at": "2", "offset": "1", "limit": "1"])
    XCTAssertEqual(second, ["Eve Smith"])
    for offset in ["7", "9223372036854775807"] {
      let beyond = try await names(["fetch": fetch, "at": "2", "offset": offset])
      XCTAssertEqual(beyond, [])
    }
  }

  func testTheLimitOfTheFetchIsLost() async throws {
    let page = try await object("api/rows", ["fetch": "Guest order by first limit 1 offset 1", "at": "2"])
    XCTAssertEqual(page["total"] as? Int, 1)
    let rows = try XCTUnwrap(page["rows"] as? [[String: Any]])
    XCTAssertEqual(rows.map { $0["id"] as? String }, ["EVE"])
  }

  func testAChangeHasNoMark() async throws {
    func marks(_ at: String, _ since: String) async throws -> [String] {
      let rows = try await object("api/rows", ["fetch": "Guest order by first", "at": at, "since": since])["rows"]
      return (rows as? [[String: Any]] ?? []).map { row in
        "\((row["changed"] as? [String] ?? []).joined(separator: ", ")) \(row["isNew"] ?? "")"
      }
    }
    let married = try await marks("3", "2")
    XCTAssertEqual(married, [" 0", "fullName, last 0"])
    let checkedIn = try await marks("2", "1")
    XCTAssertTrue(checkedIn.allSatisfy { $0.hasSuffix(" 1") })
  }

  func testBlameNamesAnotherTransaction() async throws {
    let eve = try await object("api/object", ["id": test.id("EVE")])
    let blame = try XCTUnwrap(eve["blame"] as? [String: [String: Any]])
    XCTAssertEqual(blame["last"]?["author"] as? String, "bob")
    XCTAssertEqual(blame["first"]?["author"] as? String, "ada")
    let hotel = try await object("api/object", ["id": test.id("HOTEL"), "at": "2"])
    XCTAssertEqual(hotel["members"] as? [String: Int], ["guests": 2])
    let bob = try await object("api/object", ["id": test.id("BOB")])
    XCTAssertEqual(bob["exists"] as? Bool, false)
    let members = try await object("api/members", ["id": test.id("HOTEL"), "property": "guests"])
    XCTAssertEqual(members["total"] as? Int, 1)
  }

  func testTheLogSkipsATransaction() async throws {
    func positions(_ query: [String: String]) async throws -> String {
      let page = try await object("api/log", query)
      let found = (page["transactions"] as? [[String: Any]] ?? []).compactMap { $0["position"] as? Int }
      return "\(found) \(page["next"] as? Int ?? 0)"
    }
    let expected: [([String: String], String)] = [
      ([:], "[4, 3, 2, 1] 0"), (["limit": "3"], "[4, 3, 2] 2"), (["limit": "3", "before": "2"], "[1] 0"),
      (["author": "bob"], "[4, 3] 0"), (["author": "bob", "limit": "1"], "[4] 4"),
      (["author": "bob", "limit": "1", "before": "4"], "[3] 3"), (["entity": "Hotel"], "[2] 0"),
      (["object": test.id("BOB")], "[4, 2] 0"), (["from": "@2", "to": "@3"], "[3, 2] 0"),
      (["from": "2023-11-15", "to": "2023-11-15"], "[3] 0"),
    ]
    for (query, found) in expected {
      let page = try await positions(query)
      XCTAssertEqual(page, found, "\(query)")
    }
  }

  func testAHistoryHasOtherChanges() async throws {
    let history = try await object("api/history", ["id": test.id("EVE"), "property": "last"])
    let found = try XCTUnwrap(history["transactions"] as? [[String: Any]])
    XCTAssertEqual(found.map { $0["position"] as? Int }, [3, 2])
    let transaction = try await object("api/transaction", ["position": "3"])
    XCTAssertEqual(transaction["updated"] as? Int, 1)
    XCTAssertEqual(transaction["omitted"] as? Int, 0)
  }

  func testAMomentIsAnother() async throws {
    let beyond = try await answer("api/moment", ["position": "5"])
    XCTAssertEqual(beyond, #"400 {"message":"'@5' is not in the log, whose last position is 4."}"#)
    let moments = [("2023-11-15", 3), ("2023-11-14 22:13", 0), ("2023-11-14 22:13:20", 2), ("@2", 2)]
    for (text, position) in moments {
      let moment = try await object("api/moment", ["time": text])
      XCTAssertEqual(moment["position"] as? Int, position, text)
    }
  }

  func testAMistakeHasNoPlace() async throws {
    let found = try await answer("api/rows", ["fetch": "Guest where nam == 1"])
    XCTAssertEqual(
      found,
      #"400 {"column":13,"line":1,"message":"Line 1, column 13: Guest has no property 'nam'. 'reprise "#
        + #"schema' lists its properties.","offset":12}"#)
  }

  func testARequestWithAMistakeFails() async throws {
    let id = test.id("EVE")
    let expected: [(String, [String: String], String)] = [
      ("api/rows", [:], "400 The request lacks 'fetch'. Reload the page."),
      ("api/rows", ["fetch": "Guest", "limit": "-1"], "400 '-1' is no number for 'limit'. Write a number from 0."),
      ("api/rows", ["fetch": "Guest", "at": "x"], "400 'x' is no number for 'at'. Write a number from 0."),
      ("api/none", [:], "404 The inspector has nothing at 'api/none'. Reload the page."),
      ("api/live", [:], "404 The inspector has nothing at 'api/live'. Reload the page."),
      (
        "api/value", ["id": id, "property": "age"],
        "404 The object has no value 'age' to load. It may have changed since."
      ),
      ("api/transaction", ["position": "9"], "400 '@9' is not in the log, whose last position is 4."),
    ]
    for (path, query, message) in expected {
      let answer = await inspection.answer(PageRequest(.get, path, query: query))
      XCTAssertEqual("\(answer.status) \(try text(answer))", message)
    }
    let post = await inspection.answer(PageRequest(.post, "api/draft"))
    XCTAssertEqual(
      "\(post.status) \(try text(post))",
      "403 This inspector only reads. Start it for editing, with 'reprise inspect --edit'.")
  }

  func testACancelledRequestStillReads() async throws {
    let task = Task { [inspection] in
      withUnsafeCurrentTask { $0?.cancel() }
      return await inspection?.answer(PageRequest(.get, "api/rows", query: ["fetch": "Guest"]))
    }
    let found = await task.value
    let answer = try XCTUnwrap(found)
    XCTAssertEqual(
      "\(answer.status) \(try text(answer))",
      "499 The page cancelled the request before it had the answer. Repeat the request if you need it.")
  }

  func testAClosedStoreHasAnotherReason() async throws {
    // The context of this position is already in memory.
    _ = await inspection.answer(PageRequest(.get, "api/store"))
    try await test.store.close()
    let answer = await inspection.answer(PageRequest(.get, "api/store"))
    XCTAssertEqual(
      "\(answer.status) \(try text(answer))", "503 The store \(test.store.path) was closed. Open it again.")
  }

  func testADeepRowIsSorted() throws {
    XCTAssertEqual(
      "\(PageFailure.tooFar(limit: 20))",
      "The store has no index in this order, so the page has only its first 20 rows. Add a condition, or sort by an "
        + "indexed property.")
    XCTAssertEqual(
      "\(PageFailure.body("it is too long, or it broke off."))",
      "The body of the request cannot be read: it is too long, or it broke off. Reload the page.")
  }

  private func text(_ answer: PageAnswer) throws -> String {
    guard case .bytes(let bytes) = answer.body else { return "" }
    let json = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
    return json?["message"] as? String ?? ""
  }
}
