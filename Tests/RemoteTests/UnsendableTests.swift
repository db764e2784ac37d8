import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import XCTest

@testable import RepriseRemote

/// Changes that cannot be sent, or whose answer cannot be understood: they are told, and hold up no other.
final class UnsendableTests: RemoteTestCase {
  private var source: ArticleSource { device.source }
  /// The reason for the bytes 1, 2, 3.
  private let undecodable =
    "this version of the program cannot decode the stored row of this change: the state's bytes are damaged: expected "
    + "a possible number of keys at byte 2. Resolve the conflict with `theirs`, or with the version that stored the row"

  /// Expects one conflict that the program can resolve, and the other article on the server.
  private func assertOneRefused(_ reason: String, line: UInt = #line) async throws -> RemoteConflict<Article> {
    let conflicts = try source.conflicts()
    XCTAssertEqual(conflicts.count, 1, line: line)
    let conflict = try XCTUnwrap(conflicts.first, line: line)
    XCTAssertEqual(conflict.reason, reason, line: line)
    XCTAssertEqual(server.rows.last?.title, "good", line: line)
    let sent = server.sent.count
    try await device.relaunch()
    try await source.send()
    XCTAssertEqual(server.sent.count, sent, "it is not sent again and again", line: line)
    return conflict
  }

  func testARecordThatIsTooLargeHoldsUpNoOther() async throws {
    let article = try await device.insert("large")
    article.body = String(repeating: "x", count: 2 << 20)
    try await device.context.save()
    try await device.insert("good")
    try await source.send()
    _ = try await assertOneRefused(
      "`record` of the RemoteMapping threw an error, or its row cannot be encoded: the state has 2097165 bytes, and "
        + "may have at most 1048576")
    XCTAssertEqual(server.rows.count, 1)
    // Once it is smaller, it goes.
    let large = try XCTUnwrap(source.rows.last)
    large.body = ""
    try await device.context.save()
    try await source.send()
    XCTAssertEqual(server.rows.map(\.title), ["good", "large"])
    XCTAssertEqual(try source.pendingCount, 0)
  }

  func testAnObjectOfWhichTheMappingMakesNoRecordHoldsUpNoOther() async throws {
    struct NoTitle: Error {}
    let mapping = RemoteMapping<Article, ArticleRecord>(
      key: { $0.remoteID }, id: { $0.id }, apply: ArticleRecord.mapping.apply,
      record: {
        if $0.title.isEmpty { throw NoTitle() }
        return $0.record
      })
    let strict = try ArticleSource(
      "articles", Fetch<Article>().sorted { $0.title }, in: device.context, from: server, mapping: mapping)
    try await device.insert("")
    try await device.insert("good")
    try await strict.send()
    XCTAssertEqual(server.rows.map(\.title), ["good"])
    let conflict = try XCTUnwrap(strict.conflicts().first)
    XCTAssertEqual(
      conflict.reason,
      "`record` of the RemoteMapping threw an error, or its row cannot be encoded: NoTitle()")
    try await strict.resolve(conflict, .theirs)
    XCTAssertEqual(try device.context.fetch(Fetch<Article>()).map(\.title), ["good"])
    XCTAssertEqual(try strict.pendingCount, 0)
  }

  func testARecordOfAnEarlierVersionThatCannotBeReadHoldsUpNoOther() async throws {
    server.insert("a")
    try await source.refresh()
    try await edit { $0.title = "b" }
    try await sendAndDie(.before)
    try await edit { $0.body = "later" }
    let entry = try XCTUnwrap(device.context.fetch(Fetch<OutboxEntry>()).first)
    entry.payload = [1, 2, 3]
    try await device.context.save()
    try await device.insert("good")
    try await source.send()
    let conflict = try await assertOneRefused(undecodable)
    XCTAssertEqual(conflict.kind, .refused(properties: ["body", "title"]), "with what came later")
    try await source.resolve(conflict, .mine)
    try await source.send()
    XCTAssertEqual(server.rows.map(\.title), ["b", "good"])
    XCTAssertEqual(server.rows.map(\.body), ["later", ""])
  }

  func testANewRowThatCannotBeReadAgainIsNotMadeTwice() async throws {
    try await device.insert("new")
    try await sendAndDie(.after)
    try await device.relaunch()
    let entry = try XCTUnwrap(device.context.fetch(Fetch<OutboxEntry>()).first)
    let sent = entry.payload
    entry.payload = [1, 2, 3]
    try await device.context.save()
    try await device.insert("good")
    try await source.send()
    let conflict = try await assertOneRefused(undecodable)
    try await source.resolve(conflict, .mine)
    try await source.send()
    try XCTUnwrap(source.rows.last).title = "newer"
    try await device.context.save()
    try await source.send()
    XCTAssertEqual(server.rows.map(\.title), ["new", "good"])
    // A version of the program that can read it asks again under its key.
    let refused = OutboxEntry.State.refused
    let kept = try XCTUnwrap(device.context.fetch(Fetch<OutboxEntry> { $0.state == refused }).first)
    kept.payload = sent
    try await device.context.save()
    try await source.resolve(try XCTUnwrap(source.conflicts().first), .mine)
    try await source.send()
    XCTAssertEqual(server.rows.map(\.title), ["newer", "good"])
    XCTAssertEqual(server.done.count { $0.kind == .create }, 2)
    XCTAssertEqual(try source.pendingCount, 0)
  }

  func testAServerThatDoesNotNameANewRowHoldsUpNoOther() async throws {
    try await device.insert("nameless")
    try await device.insert("good")
    server.configure { $0.unnamedTitles = ["nameless"] }
    try await source.send()
    let conflict = try await assertOneRefused("the server created the row, and did not send its identifier")
    try await source.resolve(conflict, .theirs)
    server.configure { $0.hasValidator = false }
    try await source.synchronize()
    XCTAssertEqual(server.rows.map(\.title), ["nameless", "good"])
    XCTAssertEqual(titles(), ["good", "nameless"], "what the server made is there once")
  }

  func testAnAnswerThatCannotBeUnderstoodHoldsUpNoOther() async throws {
    try await device.insert("odd")
    try await device.insert("good")
    server.configure {
      $0.fault = {
        $0 == 1 ? (RemoteError.malformed(reason: "the row in the answer cannot be decoded: no JSON"), .before) : nil
      }
    }
    try await source.send()
    let conflict = try await assertOneRefused("the row in the answer cannot be decoded: no JSON")
    try await source.resolve(conflict, .mine)
    try await source.send()
    XCTAssertEqual(server.rows.map(\.title), ["good", "odd"])
  }

  func testWhatOnlyThisTimeFailsIsKeptToBeSent() async throws {
    try await device.insert("a")
    let failures: [any Error] = [
      RemoteError.denied(reason: "log in"), RemoteError.unavailable(reason: "away", retryAfter: .seconds(600)),
      ArticleServer.Killed(), CancellationError(),
    ]
    for failure in failures {
      try await device.relaunch()
      server.configure { $0.fault = { _ in (failure, .before) } }
      do {
        try await source.send()
        XCTFail("it failed")
      } catch {}
      try device.context.refresh()
      XCTAssertEqual(try source.conflicts(), [])
      XCTAssertEqual(try source.pendingCount, 1)
    }
  }

  func testARowWithAValueThatCannotBeHeldIsNamed() throws {
    let value = InvalidValue(
      object: Article("a").id.any, property: "version", value: .int(600), reason: .outOfRange)
    XCTAssertEqual(RowRefusal.reason(of: value), "has version 600, which this property cannot hold")
  }

  func testAnAcceptedChangeWhoseRowCannotBeAppliedIsSentOnce() async throws {
    struct Odd: Error {}
    let mapping = RemoteMapping<Article, ArticleRecord>(
      key: { $0.remoteID }, id: { $0.id }, apply: { _, _, _ in throw Odd() }, record: { $0.record })
    let odd = try ArticleSource(
      "articles", Fetch<Article>().sorted { $0.title }, in: device.context, from: server, mapping: mapping)
    try await device.insert("a")
    try await device.insert("good")
    try await odd.send()
    XCTAssertEqual(server.rows.map(\.title), ["a", "good"])
    XCTAssertEqual(try odd.pendingCount, 0, "the server accepted them, whatever its rows say")
    XCTAssertEqual(titles(), ["a", "good"])
    XCTAssertEqual(source.rows.map(\.remoteID), ["1", "2"])
  }
}
