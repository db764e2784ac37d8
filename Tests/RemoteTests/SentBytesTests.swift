import RepriseObjectModel
import RepriseQuery
import Synchronization
import XCTest

@testable import RepriseRemote

/// A server that refuses other bytes under a known key, and a transport that writes other bytes each time.
final class SentBytesTests: RemoteTestCase {
  private func source(_ transport: ShiftyTransport) throws -> RemoteSource<Article, ShiftyTransport> {
    try RemoteSource(
      "articles", Fetch<Article>().sorted { $0.title }, in: device.context, from: transport,
      mapping: ArticleRecord.mapping)
  }

  /// The server makes the next change, and the process is killed before the answer arrives.
  private func sendAndDie(_ transport: ShiftyTransport) async throws {
    let next = server.requests + 1
    server.configure { $0.fault = { $0 == next ? (ArticleServer.Killed(), .after) : nil } }
    do {
      try await source(transport).send()
      XCTFail("it was killed")
    } catch is ArticleServer.Killed {}
    try await device.relaunch()
  }

  func testAChangeIsSentAgainWithTheStoredBytes() async throws {
    let transport = ShiftyTransport(server)
    server.insert("a")
    try await source(transport).refresh()
    try await edit { $0.title = "b" }
    try await device.insert("new")
    for _ in 0..<2 { try await sendAndDie(transport) }
    try await source(transport).send()
    XCTAssertEqual(transport.bodies.map(\.count).sorted(), [1, 3])
    XCTAssertEqual(transport.bodies.map { Set($0).count }, [1, 1])
    XCTAssertEqual(server.rows.map(\.title), ["b", "new"])
    XCTAssertEqual(try source(transport).pendingCount, 0)
  }

  func testANewRowWhoseRecordCannotBeReadIsSentWithTheStoredBytes() async throws {
    let transport = ShiftyTransport(server)
    try await device.insert("new")
    try await sendAndDie(transport)
    let entry = try XCTUnwrap(device.context.fetch(Fetch<OutboxEntry>()).first)
    entry.payload = [1, 2, 3]
    try await device.context.save()
    try await edit { $0.title = "later" }
    try await source(transport).send()
    XCTAssertEqual(server.rows.map(\.title), ["later"])
    XCTAssertEqual(server.done.map(\.kind), [.create, .update])
    XCTAssertEqual(try source(transport).pendingCount, 0)
  }

  func testAChangeOfWhichNoBytesAreMadeHoldsUpNoOther() async throws {
    let transport = ShiftyTransport(server)
    try await device.insert("odd")
    try await device.insert("good")
    try await source(transport).send()
    XCTAssertEqual(server.rows.map(\.title), ["good"])
    XCTAssertEqual(try source(transport).conflicts().map(\.reason), ["it is odd"])
  }
}

private final class ShiftyTransport: RemoteTransport {
  private let server: ArticleServer
  private let sent = Mutex<[UniqueID: [[UInt8]]]>([:])

  init(_ server: ArticleServer) { self.server = server }

  /// By change, the bytes of each request.
  var bodies: [[[UInt8]]] { sent.withLock { Array($0.values) } }

  func read(_ request: RemoteRequest) async throws -> RemoteReading<ArticleRecord> { try await server.read(request) }

  func body(of change: RemoteChange<ArticleRecord>) throws -> [UInt8]? {
    if change.record?.title == "odd" { throw RemoteError.unsendable(reason: "it is odd") }
    // As of a set, whose order is another one each time.
    return change.record.map { Array("\($0.title) \(UniqueID())".utf8) }
  }

  func send(_ change: RemoteChange<ArticleRecord>) async throws -> RemoteAnswer<ArticleRecord> {
    let body = change.body ?? []
    let isKnown = sent.withLock { sent in
      sent[change.idempotencyKey, default: []].append(body)
      return sent[change.idempotencyKey]?.first == body
    }
    return isKnown ? try await server.send(change) : .refused(reason: "other bytes under a known key")
  }
}
