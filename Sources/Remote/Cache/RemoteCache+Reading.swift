import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery

extension RemoteCache {
  /// The place where the next reading continues.
  struct Place: Sendable {
    var pages: Int
    var nextPage: String?
    var validator: String?
    var cursor: String?
    var reading: Int
    /// The refused rows among the changes that are read from here on.
    var refused = RefusedRecords<Record>()
  }

  func place() async throws -> Place {
    try await transaction("Collect changes") { transaction in
      let state = transaction.state
      return Place(
        pages: state.pages, nextPage: state.nextPage, validator: state.validator, cursor: state.cursor,
        reading: state.reading)
    }
  }

  /// Call this after the server has answered a request to read, before its answer is applied.
  func noteReading() async throws { try await transaction("Note reading") { try $0.markCreation() } }

  /// Begins to read the list from its first page.
  ///
  /// - Parameter order: The order of the earlier reading, if this one must confirm it.
  func beginPass(at place: Place, confirming order: Int?) throws {
    let head = try store.refreshedHead()
    memory.withLock { $0.pass = RemotePass(head, place.reading, confirming: order) }
  }

  /// The outcome of reading a page.
  enum PageOutcome: Equatable, Sendable {
    case applied
    /// It was the last page, and some rows are on no page. It is unknown whether the list changed meanwhile, so these
    /// rows stay until another reading finds the same order.
    case unconfirmed(order: Int)
    /// Another reader has read the list meanwhile, so the page belongs to an outdated place.
    case overtaken
    /// A new row may be one that this store made. First ask for the lost answer.
    case unanswered
  }

  /// Applies a page of the list.
  ///
  /// - Parameters:
  ///   - number: The number of the page, from 1.
  ///   - request: The request. A page that follows another one is dropped if that page is no longer the last one.
  ///   - isLast: Whether no page is read after this one. If a page brings nothing new and others follow, nothing is
  ///     written, and the source's place in the list stays as before this reading.
  ///   - isAsked: Whether the lost answer was already requested again, without success.
  func apply(
    _ page: RemotePage<Record>, number: Int, of request: RemoteRequest, isLast: Bool, isAsked: Bool
  ) async throws -> PageOutcome {
    let received = rows(of: page)
    let known = memory.withLock { $0.pass }.flatMap { $0.nextPage == request.page ? $0.adding(page, received) : nil }
    let earlier = page.nextPage == nil ? known?.refused.records ?? [] : []
    let (outcome, pass) = try await transaction("Receive rows", applying: received, after: earlier) {
      transaction, application -> (PageOutcome, RemotePass<Record>?) in
      let state = transaction.state
      var pass = known.flatMap { $0.reading == state.reading ? $0 : nil }
      // Within one reading, the previous page need not have been written.
      if number > 1, pass == nil, state.nextPage != request.page { return (.overtaken, nil) }
      if try !isAsked && transaction.mayHaveMade(page.records) { return (.unanswered, nil) }
      var refused = pass?.refused ?? RefusedRecords()
      try application.apply(in: transaction, retries: pass != nil, refused: &refused)
      pass?.refused = refused
      for id in page.deletedIDs { try transaction.takeAway(id) }
      // Only a list that was read as a whole gets a validator and a cursor.
      var whole = page.nextPage == nil ? pass.flatMap { $0.isTorn ? nil : $0 } : nil
      var outcome = PageOutcome.applied
      if let found = whole, !found.isOfOneMoment, try self.misses(found, transaction) {
        outcome = .unconfirmed(order: found.order)
        whole = nil
      }
      if let whole { try self.takeAwayMissing(whole, transaction) }
      if !isLast, pass != nil, !transaction.context.hasChanges { return (.applied, pass) }
      set(state, \.nextPage, page.nextPage)
      set(state, \.pages, number)
      set(state, \.validator, whole?.validator)
      set(state, \.cursor, whole?.cursor)
      set(state, \.isRead, true)
      if transaction.context.hasChanges { state.changeReading() }
      pass?.reading = state.reading
      return (outcome, pass)
    }
    if outcome != .unanswered { memory.withLock { $0.pass = pass } }
    return outcome
  }

  /// Applies a page of the changes since a cursor. With the last page, also the next cursor.
  ///
  /// - Parameter place: The place where the reading began, or where its last page ended.
  func apply(
    changes page: RemotePage<Record>, since place: inout Place, next: String?, isAsked: Bool
  ) async throws -> PageOutcome {
    let received = rows(of: page)
    var known = place
    known.refused.drop(received.ids + page.deletedIDs)
    let earlier = page.nextPage == nil ? known.refused.records : []
    let (outcome, after) = try await transaction("Receive changes", applying: received, after: earlier) {
      [known] transaction, application -> (PageOutcome, Place) in
      var place = known
      let state = transaction.state
      // Another reader's rows may be newer, even if it has not read all pages yet.
      if state.cursor != known.cursor || state.reading != known.reading { return (.overtaken, place) }
      if try !isAsked && transaction.mayHaveMade(page.records) { return (.unanswered, place) }
      try application.apply(in: transaction, retries: true, refused: &place.refused)
      for id in page.deletedIDs { try transaction.takeAway(id) }
      if let next, page.nextPage == nil { set(state, \.cursor, next) }
      if page.nextPage != nil, transaction.context.hasChanges { state.changeReading() }
      place.reading = state.reading
      return (.applied, place)
    }
    if outcome == .applied { place = after }
    return outcome
  }

  private func rows(of page: RemotePage<Record>) -> PageRows<Record> {
    PageRows(page, validID: mapping.validID, normalID: mapping.normalID)
  }

  func forgetReading() async throws { try await transaction("Read anew") { $0.readAllAnew() } }

  func forgetPlace() async throws {
    try await transaction("Start over") { transaction in
      set(transaction.state, \.nextPage, nil)
      set(transaction.state, \.validator, nil)
      set(transaction.state, \.cursor, nil)
    }
  }

  /// Removes the rows that are on no page, because the server deleted them.
  private func takeAwayMissing(_ pass: RemotePass<Record>, _ transaction: Transaction) throws {
    let seen = pass.seen
    var kept: Set<String> = []
    for row in try missing(seen, pass, transaction) {
      // The delete rules of an earlier row may have deleted this one.
      guard let object = transaction.context.find(row.id) else { continue }
      if try !transaction.takeAway(object) { kept.insert(row.key) }
    }
    try transaction.refusals.removeMissing(seen.union(kept), nameless: pass.refused.nameless)
  }

  /// Whether there are rows to remove.
  private func misses(_ pass: RemotePass<Record>, _ transaction: Transaction) throws -> Bool {
    let seen = pass.seen
    return try !missing(seen, pass, transaction).isEmpty
      || transaction.refusals.hasMissing(seen, nameless: pass.refused.nameless)
  }

  /// The local rows that are on no page, without rows that were made during the reading. These may belong to a page
  /// that was already read.
  private func missing(
    _ seen: Set<String>, _ pass: RemotePass<Record>, _ transaction: Transaction
  ) throws -> [(key: String, id: Element.ID)] {
    var missing: [(key: String, id: Element.ID)] = []
    for row in try mapping.keys(scope.fetch, transaction.context) where !seen.contains(row.key) {
      guard try wasThere(row.id, row.key, at: pass.start), transaction.context.find(row.id) != nil else { continue }
      // The server does not know a row that this store made and has not sent.
      if try transaction.outbox.entries(of: row.id.uuid).last?.kind == .create { continue }
      missing.append((row.key, row.id))
    }
    return missing
  }

  private func wasThere(_ id: Element.ID, _ key: String, at position: Position) throws -> Bool {
    let pinned = store.pin(at: position)
    defer { store.unpin(pinned) }
    return try store.objects.values(of: id.uuid, map, at: position).flatMap { mapping.keyText($0[keySlot]) } == key
  }
}

/// Sets a property that changes: an assignment of the same value must not make a transaction.
private func set<Value: Equatable>(
  _ state: RemoteState, _ property: ReferenceWritableKeyPath<RemoteState, Value>, _ value: Value
) {
  if state[keyPath: property] != value { state[keyPath: property] = value }
}
