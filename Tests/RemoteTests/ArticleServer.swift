import RepriseObjectModel
import RepriseRemote
import Synchronization

/// A server in memory: it has rows with versions, pages, a name for the state of its list, changes since a cursor, and
/// remembers what it was asked to do by idempotency keys.
final class ArticleServer: Sendable {
  /// What goes wrong with a request.
  enum Fault: Sendable {
    /// It does not arrive.
    case before
    /// It arrives, and the answer does not.
    case after
  }

  struct Killed: Error {}

  struct State: Sendable {
    var rows: [ArticleRecord] = []
    var pageSize = Int.max
    var hasValidator = true
    var tellsChanges = false
    /// Whether only the first page has the cursor.
    var namesCursorOnce = false
    var nextID = 1
    /// Of the list: one more after each change.
    var revision = 0
    /// The revisions of rows, and of those that are gone.
    var changes: [String: Int] = [:]
    var oldestCursor = 0
    var answers: [UniqueID: RemoteAnswer<ArticleRecord>] = [:]
    /// What was done, each change once.
    var done: [RemoteChange<ArticleRecord>] = []
    /// All requests, in the order of their arrival.
    var sent: [RemoteChange<ArticleRecord>] = []
    var reads: [RemoteRequest] = []
    /// Asked before each request.
    var fault: (@Sendable (Int) -> (any Error, Fault)?)?
    var requests = 0
    /// Awaited with the number of each request, while its answer is on its way.
    var onItsWay: (@Sendable (Int) async -> Void)?
    /// Titles that it does not accept.
    var refusedTitles: Set<String> = []
    /// Titles of new rows that it makes without saying which.
    var unnamedTitles: Set<String> = []
    /// What it makes of titles.
    var changedTitles: [String: String] = [:]
    /// Titles of rows whose records cannot be read, and whether their identifiers can.
    var unreadableTitles: Set<String> = []
    var namesUnreadable = true
    /// Whether what it answers to a change, by their number, cannot be understood.
    var garblesAnswer: @Sendable (Int) -> Bool = { _ in false }
    /// Whether it looks at versions.
    var checksVersions = true
    /// Whether it changes and deletes rows. Otherwise it answers with the row that it has.
    var carriesOut = true
    /// Whether it answers with rows.
    var answersWithRows = true
  }

  let state = Mutex(State())

  var rows: [ArticleRecord] { state.withLock { $0.rows } }
  var done: [RemoteChange<ArticleRecord>] { state.withLock { $0.done } }
  var sent: [RemoteChange<ArticleRecord>] { state.withLock { $0.sent } }
  var reads: [RemoteRequest] { state.withLock { $0.reads } }
  var requests: Int { state.withLock { $0.requests } }

  func configure(_ body: @Sendable (inout State) -> Void) { state.withLock { body(&$0) } }

  // MARK: Changes by others

  @discardableResult
  func insert(_ title: String, at index: Int? = nil) -> String {
    state.withLock { state in
      let id = state.newID()
      state.rows.insert(ArticleRecord(id: id, title: title, version: 1), at: index ?? state.rows.count)
      state.touch(id)
      return id
    }
  }

  /// The identifiers of rows that are gone.
  var deleted: [String] {
    state.withLock { state in state.changes.keys.filter { id in !state.rows.contains { $0.id == id } }.sorted() }
  }

  /// Makes a row that has the identifier of one that was deleted.
  func bringBack(_ id: String, _ title: String) {
    state.withLock { state in
      state.rows.append(ArticleRecord(id: id, title: title, version: 1))
      state.touch(id)
    }
  }

  func update(_ id: String, _ body: (inout ArticleRecord) -> Void) {
    state.withLock { state in
      guard let index = state.rows.firstIndex(where: { $0.id == id }) else { return }
      body(&state.rows[index])
      state.rows[index].version += 1
      state.touch(id)
    }
  }

  func delete(_ id: String) {
    state.withLock { state in
      state.rows.removeAll { $0.id == id }
      state.touch(id)
    }
  }
}

extension ArticleServer.State {
  mutating func newID() -> String {
    defer { nextID += 1 }
    return "\(nextID)"
  }

  mutating func touch(_ id: String) {
    revision += 1
    changes[id] = revision
  }
}

extension ArticleServer: RemoteTransport {
  typealias Record = ArticleRecord

  func read(_ request: RemoteRequest) async throws -> RemoteReading<ArticleRecord> {
    try await passing {
      $0.reads.append(request)
      return Self.answer(request, &$0)
    }
  }

  func send(_ change: RemoteChange<ArticleRecord>) async throws -> RemoteAnswer<ArticleRecord> {
    let (answer, isGarbled) = try await passing { state in
      state.sent.append(change)
      return (Self.answer(change, &state), state.garblesAnswer(state.sent.count))
    }
    if isGarbled { throw RemoteError.malformed(reason: "the row in the answer cannot be decoded: no JSON") }
    return answer
  }

  private static func answer(
    _ change: RemoteChange<ArticleRecord>, _ state: inout State
  ) -> RemoteAnswer<ArticleRecord> {
    if let answer = state.answers[change.idempotencyKey] { return answer }
    let answer = carryOut(change, &state)
    state.answers[change.idempotencyKey] = answer
    return answer
  }

  private func passing<Answer: Sendable>(_ body: (inout State) -> Answer) async throws -> Answer {
    await Task.yield()
    try Task.checkCancellation()
    // At once: whoever sees that there is a request more may set other things for the next ones.
    let (number, fault, answer, onItsWay) = state.withLock { state in
      state.requests += 1
      let fault = state.fault?(state.requests)
      return (state.requests, fault, fault?.1 == .before ? nil : body(&state), state.onItsWay)
    }
    guard let answer else { throw fault?.0 ?? CancellationError() }
    await Task.yield()
    await onItsWay?(number)
    if let fault { throw fault.0 }
    return answer
  }

  private static func answer(_ request: RemoteRequest, _ state: inout State) -> RemoteReading<ArticleRecord> {
    let validator = state.hasValidator ? "r\(state.revision)" : nil
    if let validator, request.validator == validator { return .unmodified }
    var rows = state.rows
    var gone: [String] = []
    if let cursor = request.cursor.flatMap({ Int($0) }) {
      if cursor < state.oldestCursor { return .expired }
      let changed = state.changes.filter { $0.value > cursor }
      gone = changed.keys.filter { id in !rows.contains { $0.id == id } }.sorted()
      rows = rows.filter { changed[$0.id ?? ""] != nil }
    }
    let start = request.page.flatMap { Int($0) } ?? 0
    let end = state.pageSize < rows.count - start ? start + state.pageSize : rows.count
    let isLast = end == rows.count
    let hasCursor = state.tellsChanges && (start == 0 || !state.namesCursorOnce)
    let onPage = start < end ? Array(rows[start..<end]) : []
    var page = RemotePage(
      records: onPage.filter { !state.unreadableTitles.contains($0.title) }, deletedIDs: start == 0 ? gone : [],
      nextPage: isLast ? nil : "\(end)", validator: validator, cursor: hasCursor ? "\(state.revision)" : nil)
    page.unreadable = onPage.filter { state.unreadableTitles.contains($0.title) }
      .map { RefusedRow(id: state.namesUnreadable ? $0.id : nil, reason: "'\($0.title)' cannot be read") }
    return .page(page)
  }

  private static func carryOut(
    _ change: RemoteChange<ArticleRecord>, _ state: inout State
  ) -> RemoteAnswer<ArticleRecord> {
    if let title = change.record?.title, state.refusedTitles.contains(title) {
      return .refused(reason: "'\(title)' is no title")
    }
    let index = change.id.flatMap { id in state.rows.firstIndex { $0.id == id } }
    if let index, !state.carriesOut { return .changed(state.rows[index]) }
    switch change.kind {
    case .create:
      guard var record = change.record else { return .refused(reason: "no record") }
      if let index { return .changed(state.rows[index]) }
      let id = change.id ?? state.newID()
      record.id = id
      record.version = 1
      state.rows.append(record)
      state.touch(id)
      state.done.append(change)
      return .accepted(state.unnamedTitles.contains(record.title) ? nil : record)
    case .update:
      guard let index, let record = change.record, let id = change.id else { return .gone }
      if state.checksVersions, state.rows[index].version != record.version { return .changed(state.rows[index]) }
      if change.properties.contains("title") {
        state.rows[index].title = state.changedTitles[record.title] ?? record.title
      }
      if change.properties.contains("body") { state.rows[index].body = record.body }
      state.rows[index].version += 1
      state.touch(id)
      state.done.append(change)
      return .accepted(state.answersWithRows ? state.rows[index] : nil)
    case .delete:
      guard let index, let id = change.id else { return .accepted(nil) }
      state.rows.remove(at: index)
      state.touch(id)
      state.done.append(change)
      return .accepted(nil)
    }
  }
}
