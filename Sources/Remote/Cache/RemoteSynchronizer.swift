import RepriseObjectGraph
import RepriseObjectModel

/// Reads from the server into the cache, and sends from its outbox.
final class RemoteSynchronizer<Element: PersistentModel, Transport: RemoteTransport>: Sendable {
  let cache: RemoteCache<Element, Transport.Record>
  let connection: RemoteConnection<Transport>
  private let readsAllPages: Bool
  private let turns = RemoteTurns()

  private typealias PageOutcome = RemoteCache<Element, Transport.Record>.PageOutcome

  init(_ cache: RemoteCache<Element, Transport.Record>, _ connection: RemoteConnection<Transport>, readsAllPages: Bool)
  {
    self.cache = cache
    self.connection = connection
    self.readsAllPages = readsAllPages
  }

  // MARK: Reading

  /// Reads the changes since the cursor. Without a cursor, reads as many pages as were read before, or all.
  func refresh() async throws { try await turns.inTurn { try await readAll() } }

  /// Also reads unchanged rows.
  func refreshAnew() async throws {
    try await turns.inTurn {
      try await cache.forgetReading()
      try await readAll()
    }
  }

  private func readAll() async throws {
    var place = try await cache.place()
    while let cursor = place.cursor {
      if try await readChanges(since: cursor, place) { return }
      place = try await cache.place()
    }
    try await readPages(place)
  }

  /// False if the place is outdated, because another reader has read on, or because the server no longer knows the
  /// cursor.
  private func readChanges(
    since cursor: String, _ place: RemoteCache<Element, Transport.Record>.Place
  ) async throws -> Bool {
    var place = place
    var request = RemoteRequest(cursor: cursor)
    // The cursor of the first page, so that changes during the reading are read again.
    var following: String?
    var pages: Set<String> = []
    while true {
      switch try await read(request) {
      case .unmodified: return true
      case .expired:
        try await cache.forgetPlace()
        return false
      case .page(let page):
        following = following ?? page.cursor
        let outcome = try await apply {
          try await cache.apply(changes: page, since: &place, next: following, isAsked: $0)
        }
        guard outcome == .applied else { return false }
        guard let next = try next(page, after: &pages) else { return true }
        request = RemoteRequest(page: next, cursor: cursor)
      }
    }
  }

  private func readPages(_ place: RemoteCache<Element, Transport.Record>.Place) async throws {
    guard case .unconfirmed(let order) = try await readPages(place, confirming: nil) else { return }
    // Rows are missing. They may have moved to a page that was already read. Then the second reading finds another
    // order.
    _ = try await readPages(try await cache.place(), confirming: order)
  }

  /// Returns the outcome of the last page.
  private func readPages(
    _ place: RemoteCache<Element, Transport.Record>.Place, confirming order: Int?
  ) async throws -> PageOutcome {
    try cache.beginPass(at: place, confirming: order)
    var request = RemoteRequest(validator: order == nil ? place.validator : nil)
    var pages: Set<String> = []
    let last = readsAllPages ? .max : max(1, place.pages)
    for number in 1...last {
      switch try await read(request) {
      case .unmodified:
        guard number == 1, request.validator != nil else {
          throw RemoteError.malformed(
            reason: "the answer is 'unmodified' (HTTP 304), but the request had no validator (such as an ETag)")
        }
        return .applied
      case .expired:
        guard number > 1 else {
          throw RemoteError.malformed(
            reason: "the answer is 'expired' (HTTP 410), but the request was for the first page")
        }
        // The pages are different now. Another refresh finds them.
        return .overtaken
      case .page(let page):
        let next = try next(page, after: &pages)
        let isLast = next == nil || number == last
        let outcome = try await apply {
          try await cache.apply(page, number: number, of: request, isLast: isLast, isAsked: $0)
        }
        guard outcome == .applied, let next else { return outcome }
        request = RemoteRequest(page: next)
      }
    }
    return .applied
  }

  /// Reads the next page, if there is one. Reads the first page, if none was read.
  func loadMore() async throws { try await turns.inTurn { try await readNext() } }

  private func readNext() async throws {
    let place = try await cache.place()
    if place.pages == 0 { return try await readPages(place) }
    guard let page = place.nextPage else { return }
    let request = RemoteRequest(page: page)
    var pages: Set = [page]
    switch try await read(request) {
    case .unmodified:
      throw RemoteError.malformed(
        reason: "the answer is 'unmodified' (HTTP 304), but the request had no validator (such as an ETag)")
    case .expired:
      try await cache.forgetPlace()
      try await readAll()
    case .page(let page):
      _ = try next(page, after: &pages)
      _ = try await apply {
        try await cache.apply(page, number: place.pages + 1, of: request, isLast: true, isAsked: $0)
      }
    }
  }

  /// Applies a page. If one of its rows may have been made here, and the server's answer was lost, the change is sent
  /// again first. If there is still no answer, the row exists twice until an answer arrives.
  private func apply(
    _ body: (_ isAsked: Bool) async throws -> PageOutcome
  ) async throws -> PageOutcome {
    var outcome = try await body(false)
    if outcome == .unanswered {
      do { _ = try await sendNext() } catch { try Task.checkCancellation() }
      outcome = try await body(true)
    }
    return outcome
  }

  private func read(_ request: RemoteRequest) async throws -> RemoteReading<Transport.Record> {
    let reading = try await connection.read(request)
    try await cache.noteReading()
    return reading
  }

  /// - Parameter pages: The requested pages.
  private func next(_ page: RemotePage<Transport.Record>, after pages: inout Set<String>) throws -> String? {
    guard let next = page.nextPage else { return nil }
    guard pages.insert(next).inserted else {
      throw RemoteError.malformed(
        reason: "a page names '\(next)' as the next page, which was already read, so the pages would never end")
    }
    return next
  }

  // MARK: Sending

  /// Sends unaccepted changes one after the other, in the order of their saves. A refused change does not delay other
  /// rows.
  func send() async throws {
    while try await turns.inTurn({ try await sendNext() }) { try Task.checkCancellation() }
  }

  private func sendNext() async throws -> Bool {
    guard let message = try await cache.nextMessage({ [connection] in try connection.body(of: $0) }) else {
      return false
    }
    // A change that cannot be sent, or whose answer cannot be understood, is not tried again, because each attempt
    // would end in the same way.
    let answer: RemoteAnswer<Transport.Record>
    do {
      answer = try await connection.send(message.change)
    } catch RemoteError.unsendable(let reason) {
      answer = .refused(reason: reason)
    } catch let error as EncodingError {
      answer = .refused(reason: "\(error)")
    } catch RemoteError.malformed(let reason) {
      try await cache.leaveUnanswered(message, reason)
      return true
    } catch let error as DecodingError {
      try await cache.leaveUnanswered(message, "\(error)")
      return true
    }
    try await cache.receive(answer, to: message)
    return true
  }
}
