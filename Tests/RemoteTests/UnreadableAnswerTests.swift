import RepriseLists
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseRemote
import XCTest

/// The server made a new row, and its answer cannot be understood: whatever the program does then, there is one row.
final class UnreadableAnswerTests: RemoteTestCase {
  private var source: ArticleSource { device.source }

  /// The server makes the next change, and its answer cannot be understood.
  private func garble() {
    let server = server!
    let sent = server.sent.count
    server.configure { state in
      state.garblesAnswer = { $0 == sent + 1 }
    }
  }

  private func conflict(line: UInt = #line) throws -> RemoteConflict<Article> {
    let conflicts = try source.conflicts()
    XCTAssertEqual(conflicts.count, 1, "\(conflicts)", line: line)
    return try XCTUnwrap(conflicts.first, line: line)
  }

  /// Inserts an article whose creation the server answers unreadably.
  private func insert(_ title: String) async throws -> Article.ID {
    let id = try await device.insert(title).id
    garble()
    try await source.send()
    return id
  }

  private func assertOneRow(_ title: String, _ id: Article.ID, _ what: String = "", line: UInt = #line) async throws {
    try await source.synchronize()
    XCTAssertEqual(server.rows.map(\.title), [title], what, line: line)
    XCTAssertEqual(titles(), [title], what, line: line)
    XCTAssertEqual(source.rows.map(\.id), [id], what, line: line)
    XCTAssertEqual(server.done.count { $0.kind == .create }, 1, what, line: line)
    XCTAssertEqual(try source.pendingCount, 0, what, line: line)
    XCTAssertEqual(try source.conflicts(), [], what, line: line)
  }

  func testMineAfterAnUnreadableAnswerMakesOneRow() async throws {
    for (relaunches, refreshes) in [(false, false), (true, false), (false, true), (true, true)] {
      try await tearDown()
      try await setUp()
      let what = "relaunches \(relaunches), refreshes \(refreshes)"
      let id = try await insert("once")
      if relaunches { try await device.relaunch() }
      if refreshes { try await source.refresh() }
      try await source.resolve(try conflict(), .mine)
      try await assertOneRow("once", id, what)
      XCTAssertEqual(Set(server.sent.map(\.idempotencyKey)).count, 1, what)
      XCTAssertEqual(Set(server.sent.map(\.record)).count, 1, "one key, one content: \(what)")
    }
  }

  func testTheirsAfterAnUnreadableAnswerKeepsTheRowOfTheServer() async throws {
    let id = try await insert("once")
    try await source.resolve(try conflict(), .theirs)
    try await source.synchronize()
    XCTAssertEqual(server.rows.map(\.title), ["once"])
    XCTAssertEqual(titles(), ["once"])
    XCTAssertNotEqual(try article.id, id)
    XCTAssertEqual(try source.pendingCount, 0)
  }

  func testAnEditAfterAnUnreadableAnswerChangesTheOneRow() async throws {
    let id = try await insert("once")
    try await edit { $0.title = "later" }
    try await assertOneRow("later", id)
    XCTAssertEqual(server.sent.map { $0.record?.title }, ["once", "once", "later"])
    XCTAssertEqual(server.sent.map(\.kind), [.create, .create, .update])
  }

  func testEditsWaitAsLongAsAnswersAreUnreadable() async throws {
    let id = try await insert("once")
    for title in ["first", "second"] {
      garble()
      try await edit { $0.title = title }
      try await source.send()
      XCTAssertNotNil(try conflict().reason)
      let sent = server.sent.count
      try await device.relaunch()
      try await source.send()
      XCTAssertEqual(server.sent.count, sent, "neither is sent again and again")
    }
    XCTAssertEqual(server.rows.map(\.title), ["once"])
    try await source.resolve(try conflict(), .mine)
    try await assertOneRow("second", id)
  }

  func testADeletionAfterAnUnreadableAnswerDeletesTheRow() async throws {
    _ = try await insert("once")
    device.context.delete(try article)
    try await device.context.save()
    try await source.synchronize()
    XCTAssertEqual(server.rows, [])
    XCTAssertEqual(titles(), [])
    XCTAssertEqual(try source.pendingCount, 0)
  }

  func testTheirsDropsTheEditsBehindAnUnreadableAnswer() async throws {
    _ = try await insert("once")
    garble()
    try await edit { $0.title = "later" }
    try await source.send()
    try await source.resolve(try conflict(), .theirs)
    try await source.synchronize()
    XCTAssertEqual(server.rows.map(\.title), ["once"])
    XCTAssertEqual(titles(), ["once"])
    XCTAssertEqual(try source.pendingCount, 0)
  }

  func testMineOfANewRowThatTheServerDoesNotNameMakesNoSecondOne() async throws {
    server.configure { $0.unnamedTitles = ["nameless"] }
    try await device.insert("nameless")
    try await source.send()
    try await source.resolve(try conflict(), .mine)
    try await source.send()
    XCTAssertEqual(server.rows.count, 1)
    try await source.resolve(try conflict(), .theirs)
    try await source.synchronize()
    XCTAssertEqual(titles(), ["nameless"])
  }

  func testAServerThatForgotTheKeyMakesTheRowOnlyOnMine() async throws {
    // The answer came from a proxy, and the server never had the change.
    let id = try await device.insert("once").id
    server.configure {
      $0.fault = {
        $0 == 1 ? (RemoteError.malformed(reason: "the row in the answer cannot be decoded: no JSON"), .before) : nil
      }
    }
    try await source.send()
    XCTAssertEqual(server.rows, [])
    try await source.resolve(try conflict(), .mine)
    try await assertOneRow("once", id)
  }

  func testAChangeThatCannotBeEncodedIsAnotherOneOnceItIsEdited() async throws {
    let id = try await device.insert("odd").id
    let error = EncodingError.invalidValue("odd", .init(codingPath: [], debugDescription: "no text"))
    server.configure { $0.fault = { $0 == 1 ? (error, .before) : nil } }
    try await source.send()
    XCTAssertEqual(try conflict().reason?.contains("no text"), true)
    try await edit { $0.title = "good" }
    try await assertOneRow("good", id)
    XCTAssertEqual(server.done.map(\.kind), [.create], "it had never been sent")
  }
}
