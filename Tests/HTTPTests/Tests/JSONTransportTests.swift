import Foundation
import RepriseCore
import RepriseHTTP
import RepriseRemote
import RepriseTesting
import XCTest

/// A `RemoteSource` over HTTP, against a server on the loopback address.
@MainActor
final class JSONTransportTests: NewsTestCase {
  // MARK: Reading

  func testRowsAreReadAndAnUnchangedListIsNotSentAgain() async throws {
    insertRows(3)
    let source = try XCTUnwrap(source)
    try await source.refresh()
    XCTAssertEqual(try articles(), news.rows)
    XCTAssertEqual(news.requests.last?.query["lang"], "en")
    try await source.refresh()
    XCTAssertNotNil(news.requests.last?.headers["if-none-match"])
    news.configure { $0.rows[1].title = "other" }
    try await source.refresh()
    XCTAssertEqual(Set(try articles()), Set(news.rows))
  }

  func testPagesAreFoundByLinksAndByNames() async throws {
    insertRows(7)
    for linksPages in [true, false] {
      news.configure { state in
        state.linksPages = linksPages
        state.pageSize = 3
      }
      try await setUpAgain()
      let source = try XCTUnwrap(source)
      try await source.refresh()
      XCTAssertEqual(source.count, 3)
      try await source.load(atLeast: 100)
      XCTAssertEqual(try articles(), news.rows)
      XCTAssertNil(news.requests.last?.headers["if-none-match"])
    }
  }

  func testARecordThatCannotBeReadHoldsUpNoOther() async throws {
    insertRows(3)
    let source = try XCTUnwrap(source)
    try await source.refresh()
    let records = [
      #"{"id": 1, "title": 7, "version": 1}"#, #"{"id": "2", "title": "two", "version": 1}"#,
      #"{"id": "3", "title": "three"}"#,
    ]
    for records in [records, records.reversed()] {
      let list = "[\(records.joined(separator: ","))]"
      for body in [list, #"{"records": \#(list)}"#] {
        news.configure { $0.interruption = { _ in .some(.init(body: Data(body.utf8))) } }
        try await source.refresh()
        XCTAssertEqual(try articles().map(\.title), ["n101", "n103", "two"])
        let refused = try source.refusedRows()
        XCTAssertEqual(refused.map(\.id), ["1", "3"])
        XCTAssertTrue(refused.first?.reason.hasPrefix("its JSON cannot be read: id: ") ?? false, "\(refused)")
        XCTAssertTrue(refused.last?.reason.contains("version") ?? false, "\(refused)")
      }
    }
    news.configure { $0.interruption = { _ in .some(.init(body: Data(#"["no row"]"#.utf8))) } }
    try await source.refresh()
    XCTAssertEqual(source.count, 3, "it may be any row")
    try await source.refresh()
    XCTAssertEqual(try articles(), news.rows)
    XCTAssertEqual(try source.refusedRows(), [])
  }

  func testALinkToAnotherOriginIsNotFollowed() async throws {
    news.configure { state in
      state.interruption = { _ in
        .some(.init(headers: ["Link": "<http://127.0.0.2:1/news>; rel=next"], body: Data("[]".utf8)))
      }
    }
    await assertThrows {
      if case .malformed(let reason) = $0 {
        reason
          == "the answer refers to 'http://127.0.0.2:1/news', which does not have the scheme, host and port of the list"
      } else {
        false
      }
    }
  }

  func testFailuresAreToldApart() async throws {
    news.configure { $0.token = "another" }
    await assertThrows { if case .denied = $0 { true } else { false } }
    news.configure { $0.token = "secret" }
    news.configure { $0.interruption = { _ in .some(.init(body: Data("<html>".utf8))) } }
    await assertThrows {
      if case .malformed(let reason) = $0 { reason.hasPrefix("a page of the list cannot be decoded: ") } else { false }
    }
    news.configure { $0.interruption = { _ in .some(.init(status: 404)) } }
    await assertThrows { if case .malformed = $0 { true } else { false } }
    news.configure { $0.interruption = { _ in .some(.init(status: 503, headers: ["Retry-After": "3600"])) } }
    await assertThrows {
      if case .unavailable(_, let after, _) = $0 { after.map { $0 > .seconds(3500) } ?? false } else { false }
    }
    try await setUpServerless()
    await assertThrows { if case .unavailable = $0 { true } else { false } }
  }

  func testARetryAfterDateIsOfTheServersClock() async throws {
    insertRows(1)
    for format in ["EEE, dd MMM yyyy HH:mm:ss 'GMT'", "EEEE, dd-MMM-yy HH:mm:ss 'GMT'", "EEE MMM d HH:mm:ss yyyy"] {
      try await setUpAgain()
      let dates = DateFormatter()
      dates.locale = Locale(identifier: "en_US_POSIX")
      dates.timeZone = TimeZone(identifier: "GMT")
      dates.dateFormat = format
      // Its clock is a day ahead.
      let now = Date(timeIntervalSince1970: Date.now.timeIntervalSince1970.rounded() + 86_400)
      let headers = ["Date": dates.string(from: now), "Retry-After": dates.string(from: now + 2)]
      news.configure { $0.interruption = { _ in .some(.init(status: 429, headers: headers)) } }
      let slept = clock.sleeps.count
      try await source?.refresh()
      XCTAssertEqual(clock.sleeps.dropFirst(slept), [.seconds(2)], format)
      XCTAssertEqual(try articles(), news.rows)
    }
  }

  func testAConnectionThatBreaksIsTriedAgain() async throws {
    insertRows(1)
    news.configure { $0.interruption = { _ in .some(nil) } }
    try await source?.refresh()
    XCTAssertEqual(try articles(), news.rows)
  }

  // MARK: Writing

  func testRowsAreMadeChangedAndDeleted() async throws {
    let (source, context) = (try XCTUnwrap(source), try XCTUnwrap(context))
    context.insert(Article("new"))
    context.insert(Article("mine", remoteID: "a/b c"))
    try await context.save()
    try await source.synchronize()
    XCTAssertEqual(Set(news.rows.map(\.id)), ["1", "a/b c"])
    XCTAssertEqual(Set(try articles()), Set(news.rows))
    try await edit { $0.body = "text" }
    try await source.synchronize()
    XCTAssertEqual(Set(try articles()), Set(news.rows))
    XCTAssertEqual(news.requests.last { $0.method == "PUT" }?.headers["if-match"], "\"1\"")
    for article in source.rows { context.delete(article) }
    try await context.save()
    try await source.synchronize()
    XCTAssertEqual(news.rows, [])
  }

  func testALostAnswerMakesNothingTwiceAlsoAfterAKill() async throws {
    try XCTUnwrap(context).insert(Article("new"))
    try await context?.save()
    news.configure { $0.answersToLose = 3 }
    await assertThrows({ if case .unavailable = $0 { true } else { false } }) { try await self.source?.send() }
    XCTAssertEqual(news.changeCount, 1)
    try await open { _ in }
    try await source?.synchronize()
    XCTAssertEqual(news.rows.map(\.title), ["new"])
    XCTAssertEqual(news.changeCount, 1)
    XCTAssertEqual(try articles(), news.rows)
    let keys = news.requests.filter { $0.method == "POST" }.map { $0.headers["idempotency-key"] }
    XCTAssertEqual(keys.count, 4)
    XCTAssertEqual(Set(keys).count, 1)
  }

  func testAChangeThatIsSentAgainHasTheSameBytes() async throws {
    insertRows(1)
    var transport = Self.transport(try XCTUnwrap(server))
    transport.encoder = {
      let encoder = JSONEncoder()
      encoder.outputFormatting = .withoutEscapingSlashes
      return encoder
    }
    let record = NewsServer.Row(id: "1", title: "mine", body: "a/b", version: 1)
    let change = RemoteChange(
      kind: .update, id: "1", record: record, properties: ["title"], idempotencyKey: UniqueID())
    for _ in 0..<8 { _ = try await transport.send(change) }
    let bodies = news.requests.filter { $0.method == "PUT" }.map { String(decoding: $0.body, as: UTF8.self) }
    XCTAssertEqual(bodies.count, 8)
    XCTAssertEqual(Set(bodies), [#"{"body":"a/b","id":"1","title":"mine","version":1}"#])
  }

  func testAChangeHasTheSameBytesWithAnotherEncoder() async throws {
    try await open {
      $0.encoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .prettyPrinted
        return encoder
      }
    }
    try XCTUnwrap(context).insert(Article("new"))
    try await context?.save()
    news.configure { $0.answersToLose = 3 }
    await assertThrows({ if case .unavailable = $0 { true } else { false } }) { try await self.source?.send() }
    try await open { _ in }
    try await source?.synchronize()
    let bodies = news.requests.filter { $0.method == "POST" }.map { String(decoding: $0.body, as: UTF8.self) }
    XCTAssertEqual(bodies.count, 4)
    XCTAssertEqual(Set(bodies).count, 1)
    XCTAssertEqual(news.rows.map(\.title), ["new"])
  }

  /// The server would clear the keys that a patch leaves out.
  func testAPatchThatIsSentAgainByAProgramThatPutsIsStillAPatch() async throws {
    insertRows(1)
    try await open { $0.updates = .patch(keyOf: { $0 }) }
    try await source?.refresh()
    try await edit { $0.body = "text" }
    news.configure { $0.answersToLose = 3 }
    await assertThrows({ if case .unavailable = $0 { true } else { false } }) { try await self.source?.send() }
    try await open { _ in }
    try await source?.synchronize()
    XCTAssertEqual(Set(news.requests.map(\.method)).intersection(["PATCH", "PUT"]), ["PATCH"])
    XCTAssertEqual(news.rows.map(\.body), ["text"])
    XCTAssertFalse(news.rows.contains { $0.title.isEmpty })
  }

  func testAPatchHasOnlyWhatChanged() async throws {
    insertRows(1)
    try await open { $0.updates = .patch(keyOf: { $0 }) }
    try await source?.refresh()
    try await edit { $0.body = "text" }
    news.configure { state in
      state.rows[0].title = "theirs"
      state.rows[0].version += 1
    }
    try await source?.send()
    let patch = news.requests.last { $0.method == "PATCH" }.map { String(decoding: $0.body, as: UTF8.self) }
    XCTAssertEqual(patch, #"{"body":"text"}"#)
    XCTAssertEqual(news.rows.map(\.title), ["theirs"], "412 without a row: it is read, and the change put on top")
    XCTAssertEqual(try articles(), news.rows)
    try await edit { $0.body = nil }
    try await source?.send()
    XCTAssertEqual(news.rows.map(\.body), [nil])
  }

  func testAChangeIsNotRefusedForATokenThatCannotBeHad() async throws {
    insertRows(1)
    try await source?.refresh()
    try await open {
      $0.headers = { [("Authorization", try JSONDecoder().decode(String.self, from: Data("<html>".utf8)))] }
    }
    try await edit { $0.title = "mine" }
    await assertThrows({ if case .denied = $0 { true } else { false } }) { try await self.source?.send() }
    try await open { $0.headers = { throw RemoteError.malformed(reason: "no token") } }
    await assertThrows({
      if case .denied(reason: "the closure `headers` of the JSONTransport threw an error: no token", source: nil) = $0 {
        true
      } else {
        false
      }
    }) { try await self.source?.send() }
    XCTAssertEqual(try source?.conflicts().count, 0)
    XCTAssertEqual(try source?.pendingCount, 1)
  }

  func testARecordWithoutKeysIsNotPatched() async throws {
    var transport = JSONTransport<String>(try XCTUnwrap(server).url + "/news")
    transport.updates = .patch(keyOf: { $0 })
    let change = RemoteChange(
      kind: .update, id: "1", record: "text", properties: ["title"], idempotencyKey: UniqueID())
    await assertThrows({
      if case .unsendable(reason: "the row is not encoded as a JSON object, so it has no keys for a PATCH") = $0 {
        true
      } else {
        false
      }
    }) { _ = try await transport.send(change) }
  }

  func testAChangeThatCannotBeMadeIsNamed() async throws {
    let transport = JSONTransport<Unencodable>(try XCTUnwrap(server).url + "/news")
    let create = RemoteChange<Unencodable>(
      kind: .create, id: nil, record: Unencodable(), properties: [], idempotencyKey: UniqueID())
    await assertThrows({
      if case .unsendable(reason: "the row cannot be encoded as JSON: Odd()") = $0 { true } else { false }
    }) { _ = try await transport.send(create) }
    let deletion = RemoteChange<Unencodable>(
      kind: .delete, id: "..", record: nil, properties: [], idempotencyKey: UniqueID())
    await assertThrows({
      if case .unsendable(reason: "the identifier '..' cannot be a part of a URL") = $0 { true } else { false }
    }) { _ = try await transport.send(deletion) }
    let nowhere = JSONTransport<Unencodable>("news")
    let flaw = "the URL 'news' of the JSONTransport is not an http or https URL with a host"
    await assertThrows({
      if case .unavailable(reason: let reason, retryAfter: _, source: _) = $0 { reason == flaw } else { false }
    }) { _ = try await nowhere.send(deletion) }
    await assertThrows({
      if case .malformed(reason: let reason) = $0 { reason == flaw } else { false }
    }) { _ = try await nowhere.read(RemoteRequest(page: nil)) }
  }

  func testWhatBothChangedIsAConflict() async throws {
    insertRows(1)
    let source = try XCTUnwrap(source)
    try await source.refresh()
    try await edit { $0.title = "mine" }
    news.configure { state in
      state.rows[0].title = "theirs"
      state.rows[0].version += 1
    }
    try await source.send()
    let conflict = try XCTUnwrap(source.conflicts().first)
    guard case .properties(let properties) = conflict.kind else { return XCTFail("\(conflict)") }
    XCTAssertEqual(properties.map(\.theirs), [.string("theirs")])
    try await source.resolve(conflict, .mine)
    try await source.synchronize()
    XCTAssertEqual(news.rows.map(\.title), ["mine"])
    XCTAssertEqual(try articles(), news.rows)
  }

  func testWhatIsRefusedSaysWhy() async throws {
    let source = try XCTUnwrap(source)
    try XCTUnwrap(context).insert(Article(""))
    try await context?.save()
    try await source.synchronize()
    XCTAssertEqual(try source.conflicts().map(\.reason), ["A title is missing."])
  }

  func testAnAnswerThatHasNoRowIsEnoughWhereTheRowIsNamed() async throws {
    insertRows(1)
    news.configure { $0.saysNoMoreThanOK = true }
    let (source, context) = (try XCTUnwrap(source), try XCTUnwrap(context))
    try await source.refresh()
    try await edit { $0.title = "mine" }
    context.insert(Article("named", remoteID: "a"))
    try await context.save()
    try await source.send()
    XCTAssertEqual(try source.pendingCount, 0)
    try await source.synchronize()
    XCTAssertEqual(news.changeCount, 2, "each was done once")
    XCTAssertEqual(Set(news.rows.map(\.title)), ["mine", "named"])
    XCTAssertEqual(Set(try articles()), Set(news.rows))
  }

  func testANewRowThatIsNotNamedHoldsUpNoOther() async throws {
    news.configure { $0.saysNoMoreThanOK = true }
    let (source, context) = (try XCTUnwrap(source), try XCTUnwrap(context))
    for article in [Article("new"), Article("named", remoteID: "a")] {
      context.insert(article)
      try await context.save()
    }
    for _ in 0..<2 { try await source.send() }
    XCTAssertEqual(news.changeCount, 2)
    try await source.resolve(XCTUnwrap(source.conflicts().first), .theirs)
    try await source.synchronize()
    XCTAssertEqual(Set(try articles()), Set(news.rows))
    XCTAssertEqual(news.rows.count, 2)
    XCTAssertEqual(try source.pendingCount, 0)
  }

  func testARowThatIsGoneIsAConflict() async throws {
    insertRows(1)
    let source = try XCTUnwrap(source)
    try await source.refresh()
    try await edit { $0.title = "mine" }
    news.configure { $0.rows = [] }
    try await source.send()
    XCTAssertEqual(try source.conflicts().map(\.kind), [.deletedByThem])
  }
}

private struct Unencodable: Codable, Sendable {
  struct Odd: Error {}

  init() {}
  init(from decoder: any Decoder) throws {}
  func encode(to encoder: any Encoder) throws { throw Odd() }
}
