import Foundation
import Synchronization

/// The rows of a news site, behind a ``LoopbackServer``.
final class NewsServer: Sendable {
  struct Row: Codable, Hashable, Sendable {
    var id: String?
    var title: String
    var body: String?
    var version: Int
  }

  struct State: Sendable {
    var rows: [Row] = [] {
      didSet { noteChanges(oldValue) }
    }
    /// Of the list: one more after each change.
    var revision = 0
    /// The revisions of rows, and of those that are gone.
    var changes: [String: Int] = [:]
    /// Whether a page has a cursor, and what changed since it can be asked.
    var tellsChanges = false
    var oldestCursor = 0
    var nextID = 1
    var pageSize = Int.max
    /// Whether pages are linked by a header; otherwise they are named in the body.
    var linksPages = true
    /// Whether each page has a tag of its own, and is found in an object with other keys.
    var tagsPages = false
    /// Whether each page has a tag of its own, of the body alone: the link to the next one is in a header.
    var tagsBodies = false
    var token = "secret"
    var requests: [LoopbackServer.Request] = []
    /// The statuses of answers, by idempotency key.
    var answers: [String: LoopbackServer.Response] = [:]
    /// How often something was really done.
    var changeCount = 0
    /// Answers instead of the server; gone after it was used. The outer `nil` leaves the answer to the server.
    var interruption: (@Sendable (LoopbackServer.Request) -> LoopbackServer.Response??)?
    /// Closes the connection after the request was carried out, so many times.
    var answersToLose = 0
    /// The statuses of what was read, in order.
    var readStatuses: [Int] = []
    /// Is called with each request before it is carried out, and may wait.
    var gate: (@Sendable (LoopbackServer.Request) -> Void)?
    /// Whether it says of what it did only that it did it.
    var saysNoMoreThanOK = false
    /// Whether every request is answered by 503.
    var isDown = false

    private mutating func noteChanges(_ before: [Row]) {
      let old = Dictionary(before.map { ($0.id ?? "", $0) }) { $1 }
      let new = Dictionary(rows.map { ($0.id ?? "", $0) }) { $1 }
      for id in Set(old.keys).union(new.keys) where old[id] != new[id] {
        revision += 1
        changes[id] = revision
      }
    }
  }

  let state = Mutex(State())

  var rows: [Row] { state.withLock { $0.rows } }
  var requests: [LoopbackServer.Request] { state.withLock { $0.requests } }
  var changeCount: Int { state.withLock { $0.changeCount } }
  func configure(_ body: @Sendable (inout State) -> Void) { state.withLock { body(&$0) } }

  func listen() throws -> LoopbackServer { try LoopbackServer { [self] in answer($0) } }

  private func answer(_ request: LoopbackServer.Request) -> LoopbackServer.Response? {
    state.withLock { $0.gate }?(request)
    return state.withLock { state in
      state.requests.append(request)
      if state.isDown { return .init(status: 503) }
      if let interruption = state.interruption, let answer = interruption(request) {
        state.interruption = nil
        return answer
      }
      guard request.headers["authorization"] == "Bearer \(state.token)" else { return .init(status: 401) }
      var response = Self.carryOut(request, &state)
      if request.method != "GET", state.saysNoMoreThanOK { response.body = Data(#"{"status": "ok"}"#.utf8) }
      if request.method == "GET" { state.readStatuses.append(response.status) }
      if request.method != "GET", state.answersToLose > 0 {
        state.answersToLose -= 1
        return nil
      }
      return response
    }
  }

  private static func carryOut(_ request: LoopbackServer.Request, _ state: inout State) -> LoopbackServer.Response {
    if request.method == "GET" { return read(request, state) }
    guard let key = request.headers["idempotency-key"] else { return .init(status: 400) }
    if let answer = state.answers[key] { return answer }
    let count = state.rows
    let answer = change(request, &state)
    if count != state.rows { state.changeCount += 1 }
    state.answers[key] = answer
    return answer
  }

  private static func json(_ value: some Encodable, status: Int = 200) -> LoopbackServer.Response {
    .init(
      status: status, headers: ["Content-Type": "application/json"], body: (try? JSONEncoder().encode(value)) ?? Data())
  }

  private static func read(_ request: LoopbackServer.Request, _ state: State) -> LoopbackServer.Response {
    if request.path.hasPrefix("/news/") {
      let id = request.path.dropFirst(6)
      return state.rows.first { $0.id == String(id) }.map { json($0) } ?? .init(status: 404)
    }
    var rows = state.rows
    var deleted: [String] = []
    if let since = request.query["since"].flatMap({ Int($0) }) {
      if since < state.oldestCursor { return .init(status: 410) }
      let changed = state.changes.filter { $0.value > since }.keys
      deleted = changed.filter { id in !rows.contains { $0.id == id } }.sorted()
      rows = rows.filter { changed.contains($0.id ?? "") }
    }
    let start = request.query["page"].flatMap { Int($0) } ?? 0
    let end = min(rows.count, state.pageSize == .max ? .max : start + state.pageSize)
    let page = Array(rows[min(start, end)..<end])
    let next = end < rows.count ? "\(end)" : nil
    var hasher = Hasher()
    hasher.combine(state.tagsPages || state.tagsBodies ? page : state.rows)
    if state.tagsPages { hasher.combine(next) }
    let tag = "\"\(hasher.finalize())\""
    let link = next.map { "</other>; rel=\"prev\", </news?page=\($0)>; rel=\"next\"" }
    if request.headers["if-none-match"] == tag {
      return .init(status: 304, headers: state.tagsBodies ? ["Link": link ?? "</news>; rel=\"first\""] : [:])
    }
    var response: LoopbackServer.Response
    if state.tagsPages {
      struct Meta: Encodable { let next_cursor: String }
      struct Page: Encodable {
        let items: [Row]
        let meta: Meta
      }
      response = json(Page(items: page, meta: Meta(next_cursor: next ?? "")))
    } else if state.linksPages, !state.tellsChanges {
      response = json(page)
      response.headers["Link"] = link
    } else {
      struct Page: Encodable {
        let records: [Row]
        let deleted: [String]
        let next: String?
        let cursor: Int?
      }
      let cursor = state.tellsChanges ? state.revision : nil
      response = json(Page(records: page, deleted: start == 0 ? deleted : [], next: next, cursor: cursor))
    }
    response.headers["ETag"] = tag
    return response
  }

  private static func change(_ request: LoopbackServer.Request, _ state: inout State) -> LoopbackServer.Response {
    let id = request.path.hasPrefix("/news/") ? String(request.path.dropFirst(6)) : nil
    let index = id.flatMap { id in state.rows.firstIndex { $0.id == id } }
    if request.method == "DELETE" {
      guard let index else { return .init(status: 404) }
      state.rows.remove(at: index)
      return .init(status: 204)
    }
    if request.method == "PATCH" {
      guard let index else { return .init(status: 404) }
      if let version = request.headers["if-match"], version != "\"\(state.rows[index].version)\"" {
        return .init(status: 412)
      }
      guard let patch = try? JSONSerialization.jsonObject(with: request.body) as? [String: Any] else {
        return .init(status: 400)
      }
      if let title = patch["title"] as? String { state.rows[index].title = title }
      if let body = patch["body"] { state.rows[index].body = body as? String }
      state.rows[index].version += 1
      return json(state.rows[index])
    }
    guard var row = try? JSONDecoder().decode(Row.self, from: request.body) else { return .init(status: 400) }
    if row.title.isEmpty {
      return .init(status: 422, body: Data(#"{"title": "Invalid", "detail": "A title is missing."}"#.utf8))
    }
    if let index {
      if let version = request.headers["if-match"], version != "\"\(state.rows[index].version)\"" {
        return json(state.rows[index], status: 412)
      }
      row.version = state.rows[index].version + 1
      state.rows[index] = row
      return json(row)
    }
    if id != nil, request.headers["if-match"] != nil { return .init(status: 404) }
    row.id = id ?? "\(state.nextID)"
    state.nextID += 1
    row.version = 1
    state.rows.append(row)
    return json(row, status: 201)
  }
}
