#if Macros
import Foundation
import Reprise
import Synchronization
import XCTest

final class HTTPServerTests: ManualTestCase {
  private func makeServer(_ store: Store) -> RouterResponder<BasicRequestContext> {
    let router = Router()
    router.add(middleware: StoreErrors())
    addBookRoutes(to: router, store)
    addEditRoutes(to: router, store)
    addEventRoute(to: router, store)
    return router.buildResponder()
  }

  func testServerAnswersRequests() async throws {
    let store = try await makeStore()
    let books = try await fill(store)
    let server = makeServer(store)

    let list = try await server.respond("GET", "/books", query: ["year": "1972"]).decoded([Reply].self)
    XCTAssertEqual(list.map(\.title), ["Invisible Cities"])

    let added = try await server.respond("POST", "/books", body: #"{"title": "Tehanu", "year": 1990}"#)
    XCTAssertEqual(added.status, .created)
    let reply = try await added.decoded(Reply.self)
    let path = "/books/\(reply.id)"
    let read = try await server.respond("GET", path)
    XCTAssertEqual(read.headers[.contentType], "application/json; charset=utf-8")
    let found = try await read.decoded(Reply.self)
    XCTAssertEqual(found, reply)

    let edit = #"{"title": "Tehanu", "year": 1991, "version": \#(reply.version)}"#
    let edited = try await server.respond("PUT", path, body: edit)
    XCTAssertEqual(edited.status, .noContent)
    let stale = try await server.respond("PUT", path, body: edit)
    XCTAssertEqual(stale.status, .preconditionFailed)

    let lent = try await server.respond("POST", "/books/\(books[0].id.uuid)/loans")
    XCTAssertEqual(lent.status, .created)
    let again = try await server.respond("POST", "/books/\(books[0].id.uuid)/loans")
    XCTAssertEqual(again.status, .conflict)

    let deleted = try await server.respond("DELETE", path)
    XCTAssertEqual(deleted.status, .noContent)
    let gone = try await server.respond("GET", path)
    XCTAssertEqual(gone.status, .notFound)
  }

  func testServerTurnsErrorsIntoStatusCodes() async throws {
    let store = try await makeStore()
    let book = try await fill(store)[0]
    let server = makeServer(store)
    let path = "/books/\(book.id.uuid)"
    try await store.write { context in _ = context.insert(Loan(of: try context.object(book.id), dueAt: .now)) }

    let malformed = try await server.respond("GET", "/books/first")
    XCTAssertEqual(malformed.status, .badRequest)
    let unfinished = try await server.respond("POST", "/books", body: "{")
    XCTAssertEqual(unfinished.status, .badRequest)
    let ruled = try await server.respond("DELETE", path)
    XCTAssertEqual(ruled.status, .unprocessableContent)
    let reason = try await ruled.text()
    XCTAssertTrue(reason.contains("loans"), reason)

    try await store.close()
    let closed = try await server.respond("GET", path)
    XCTAssertEqual(closed.status, .internalServerError)
    let hidden = try await closed.text()
    XCTAssertEqual(hidden, "")
  }

  func testServerStreamsEventsAndResumesThem() async throws {
    let store = try await makeStore()
    let id = try await fill(store)[0].id
    let server = makeServer(store)
    let start = try store.log.headToken()
    try await store.write { try $0.object(id).year = 1975 }
    let first = try store.log.headToken()
    try await store.write { try $0.object(id).year = 1976 }
    let second = try store.log.headToken()

    let all = try await events(server, after: start, count: 2)
    XCTAssertEqual(
      all, [first, second].map { "id: \($0)\ndata: updated \(id.uuid)\n\n" })
    let rest = try await events(server, after: first, count: 1)
    XCTAssertEqual(rest, Array(all.suffix(1)))
    let otherLog = try XCTUnwrap(LogToken("\(UniqueID()):1:" + String(repeating: "0", count: 64)))
    let foreign = try await events(server, after: otherLog, count: 1)
    XCTAssertEqual(foreign, ["id: \(second)\ndata: reload\n\n"])
  }

  /// The first events of a stream, which the client then closes.
  private func events(_ server: RouterResponder<BasicRequestContext>, after token: LogToken, count: Int) async throws
    -> [String]
  {
    let name = try XCTUnwrap(HTTPField.Name("Last-Event-ID"))
    let response = try await server.respond("GET", "/events", headers: [name: token.description])
    let (written, continuation) = AsyncStream.makeStream(of: String.self)
    let client = Task {
      var writer: any ResponseBodyWriter = Client { continuation.yield($0) }
      try? await response.body.write(&writer)
    }
    defer { client.cancel() }
    var events: [String] = []
    for await event in written {
      events.append(event)
      if events.count == count { break }
    }
    return events
  }
}

private struct Client: ResponseBodyWriter {
  let receive: @Sendable (String) -> Void
  mutating func write(_ buffer: ByteBuffer) async throws { receive(buffer.string) }
  consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}

private struct Reply: Decodable, Equatable {
  let id: UniqueID
  let title: String
  let version: Position
}

extension Response {
  fileprivate func text() async throws -> String {
    let lines = ReceivedText()
    var writer: any ResponseBodyWriter = Client { text in lines.text.withLock { $0 += text } }
    try await body.write(&writer)
    return lines.text.withLock { $0 }
  }

  fileprivate func decoded<Value: Decodable>(_ type: Value.Type) async throws -> Value {
    try JSONDecoder().decode(type, from: Data(try await text().utf8))
  }
}

private final class ReceivedText: Sendable {
  let text = Mutex("")
}
#endif
