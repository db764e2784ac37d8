import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseRestoration

extension CacheTransaction {
  /// The next change to send, which counts as sent from now on. A change that cannot be sent is refused, and does not
  /// delay any other change.
  func nextMessage(_ body: (RemoteChange<Record>) throws -> [UInt8]?) throws -> OutboxMessage<Record>? {
    while let entry = try outbox.next() {
      let isTold = entry.isTold
      do {
        if let message = try message(of: entry, body) { return message }
      } catch let error as Unsendable {
        if isTold {
          try leaveUnanswered(entry, error.reason)
        } else if let left = try outbox.takeBack(entry) {
          refuse(left, error.reason)
        }
      }
    }
    return nil
  }

  /// `nil` if the entry has nothing left to send.
  private func message(
    of entry: OutboxEntry, _ body: (RemoteChange<Record>) throws -> [UInt8]?
  ) throws -> OutboxMessage<Record>? {
    if entry.sendState == .waiting {
      // An entry that was sent before has its record, and is sent unchanged.
      let wasSent = entry.payload != nil
      if entry.payload == nil, try !prepare(entry) {
        context.delete(entry)
        return nil
      }
      entry.sendState = .sending
      // The server may have been read since: see `markCreation()`.
      if wasSent, entry.kind == .create { entry.needsReading = true }
    }
    let kind: RemoteChange<Record>.Kind =
      switch entry.kind {
      case .create: .create
      case .update: .update
      case .delete: .delete
      }
    var change = RemoteChange(
      kind: kind, id: entry.remoteID, record: try record(of: entry),
      properties: entry.kind == .update ? entry.base.names : [], idempotencyKey: entry.key, body: entry.body)
    if change.body == nil, let made = try Self.made(body, of: change) {
      change.body = made
      entry.body = made
    }
    return OutboxMessage(entry: entry.id, change: change)
  }

  /// Gives an entry the message to send. False if there is nothing to send.
  private func prepare(_ entry: OutboxEntry) throws -> Bool {
    // The server has never had a row without an identifier.
    if entry.kind == .delete { return entry.remoteID != nil }
    // The row may be in another list by now.
    guard let object = object(entry.object), try scope.contains(object, in: context) else { return false }
    entry.remoteID = mapping.keyText(object._storage.value(outbox.keySlot)) ?? entry.remoteID
    if entry.kind == .update, entry.remoteID == nil {
      entry.kind = .create
      entry.base = ValuesByName()
    }
    entry.payload = try encode(object)
    return true
  }

  /// A change cannot be sent.
  private struct Unsendable: Error { let reason: String }

  private func encode(_ object: Element) throws -> [UInt8] {
    do {
      return try StateEncoder.encode(try mapping.record(object))
    } catch {
      if error is StoreError || error is CancellationError { throw error }
      throw Unsendable(reason: "`record` of the RemoteMapping threw an error, or its row cannot be encoded: \(error)")
    }
  }

  /// The record that was sent. `nil` also for a new row whose record this version of the program cannot read, and whose
  /// bytes can be sent again.
  private func record(of entry: OutboxEntry) throws -> Record? {
    guard let payload = entry.payload else { return nil }
    do {
      return try StateDecoder.decode(Record.self, from: payload).state
    } catch {
      if entry.kind == .create, entry.body != nil { return nil }
      throw Unsendable(
        reason: "this version of the program cannot decode the stored row of this change: \(error). Resolve the "
          + "conflict with `theirs`, or with the version that stored the row")
    }
  }

  private static func made(
    _ body: (RemoteChange<Record>) throws -> [UInt8]?, of change: RemoteChange<Record>
  ) throws -> [UInt8]? {
    do {
      return try body(change)
    } catch RemoteError.unsendable(let reason) {
      throw Unsendable(reason: reason)
    } catch let error as EncodingError {
      throw Unsendable(reason: "\(error)")
    }
  }

  /// Applies the server's answer to a sent change. Returns the identifier of its row.
  ///
  /// - Parameter refusal: The reason why the store refuses the answer's row, or the deletion of the object whose row is
  ///   deleted. Given after a first attempt failed for this reason. The rest of the answer still counts.
  func receive(
    _ answer: RemoteAnswer<Record>, to message: OutboxMessage<Record>, refusal: String? = nil
  ) throws -> String? {
    // Another process may have received the answer.
    guard let entry = context.find(message.entry), entry.key == message.change.idempotencyKey else {
      return message.change.id
    }
    // The server repeats its first answer. Rows read since may be newer, and a cursor reports each change only once.
    var isOld = entry.needsReading
    switch answer {
    case .accepted(let record): return try accept(record, entry, refusal)
    case .changed where refusal != nil, .gone where refusal != nil:
      if let left = try outbox.takeBack(entry), let refusal { refuse(left, refusal) }
    case .changed(let record):
      let known = entry.isReadSince ? entry.theirs ?? ValuesByName() : nil
      guard let left = try outbox.takeBack(entry) else { break }
      try rebase(left) {
        if let known {
          if let object = object(left.object), left.kind != .delete { settle(left, object, known.values) }
        } else if left.kind != .delete {
          try take(record)
        } else if left === entry {
          try settleDeletion(left, record)
        }
      }
    case .gone:
      isOld = isOld || entry.isReadSince
      if let left = try outbox.takeBack(entry) { try settleGone(left, object(left.object)) }
    case .refused(let reason):
      if let left = try outbox.takeBack(entry) { refuse(left, reason) }
    }
    if isOld { readAllAnew() }
    return message.change.id
  }

  /// After this number of attempts without a new answer from the server, the program must decide.
  private static var attemptLimit: Int { 3 }

  /// Bases a change on the server's present row. `body` applies that row.
  private func rebase(_ entry: OutboxEntry, _ body: () throws -> Void) throws {
    let object = object(entry.object)
    let before = object?._storage.values
    try body()
    guard entry.state != .deleted, entry.sendState == .waiting else { return }
    entry.attempts = object?._storage.values == before ? entry.attempts + 1 : 0
    if entry.attempts >= Self.attemptLimit {
      refuse(
        entry,
        "the server answered \(entry.attempts) times that the row has changed, but each time it sent the values "
          + "that this program had already")
    }
  }

  /// Whether the server may have made one of these rows from the change that is being sent, whose answer is not known.
  func mayHaveMade(_ records: [Record]) throws -> Bool {
    guard let entry = try outbox.sending(), entry.kind == .create, entry.remoteID == nil else { return false }
    return try records.contains { record in
      guard let id = mapping.identify(record) else { return false }
      return try mapping.find(id, context) == nil && outbox.deletion(of: id) == nil
    }
  }

  /// The server was read while a row is being made. The row may have been made and deleted meanwhile, which no later
  /// reading would show.
  func markCreation() throws {
    guard let entry = try outbox.sending(), entry.kind == .create, !entry.needsReading else { return }
    entry.needsReading = true
  }

  /// The server's answer cannot be understood, so it is unknown whether the server made the change.
  func leaveUnanswered(_ message: OutboxMessage<Record>, _ reason: String) throws {
    guard let entry = context.find(message.entry), entry.key == message.change.idempotencyKey else { return }
    try leaveUnanswered(entry, reason)
  }

  /// Refuses a change that the server may have made. A new row that it may have made, without returning its identifier,
  /// must not be made under another key. The entry keeps its key, and later changes of the object wait for it.
  private func leaveUnanswered(_ entry: OutboxEntry, _ reason: String) throws {
    guard entry.kind == .create, entry.remoteID == nil else {
      if let left = try outbox.takeBack(entry) { refuse(left, reason) }
      return
    }
    refuse(entry, reason)
    for later in try outbox.entries(of: entry.object) where later !== entry { later.sendState = .held }
  }

  func refuse(_ entry: OutboxEntry, _ reason: String) {
    entry.sendState = .refused
    entry.reason = reason
  }

  private func accept(_ record: Record?, _ entry: OutboxEntry, _ refusal: String?) throws -> String? {
    let object = object(entry.object)
    let id = [record.flatMap { mapping.identify($0) }, entry.remoteID].compactMap(\.self)
      .first { mapping.keyValue($0) != nil }
    let (kind, uuid, needsReading) = (entry.kind, entry.object, entry.needsReading)
    let isOld = entry.isReadSince
    guard let id else {
      if kind == .delete {
        context.delete(entry)
      } else {
        // The server would give the same answer each time. The program resolves this by giving up the object, and the
        // next refresh brings the row.
        try leaveUnanswered(entry, "the server created the row, and did not send its identifier")
      }
      return nil
    }
    context.delete(entry)
    guard kind != .delete else {
      if needsReading { readAllAnew() }
      return id
    }
    let later = try outbox.entries(of: uuid)
    for entry in later where entry.remoteID == nil { entry.remoteID = id }
    // An object that left the list meanwhile gets its identifier from the source of another list.
    guard let object, later.last?.kind != .delete else { return id }
    if let double = try mapping.find(id, context), double !== object {
      try absorb(double, into: object)
      assign(id, to: object)
      return id
    }
    assign(id, to: object)
    if needsReading { readAllAnew() }
    if let refusal {
      _ = try refusals.add(RefusedRow(id: id, reason: refusal))
    } else if let record, !isOld {
      try merge(record, id, into: object)
      try refusals.remove(id)
    }
    return id
  }

  /// A refresh brought the server's row before the answer arrived, so there are two objects. The older object, which
  /// screens show, stays. It gets the values that were read or changed in the other one.
  private func absorb(_ double: Element, into object: Element) throws {
    let entries = try outbox.entries(of: object._storage.uuid)
    let mine = Set(protected(by: entries))
    let changed = try outbox.entries(of: double._storage.uuid)
    let isNewer = (changed.last?.changed ?? 0) > (entries.last?.changed ?? 0)
    let newer = isNewer ? Set(protected(by: changed)) : []
    for slot in outbox.map.stored.map(\.slot).sorted() where slot != outbox.keySlot {
      if !mine.contains(slot) || newer.contains(slot) {
        context.assign(double._storage.value(slot), at: slot, of: object)
      }
    }
    for entry in changed { outbox.move(entry, to: object._storage.uuid, besides: entries.last) }
    context.delete(double)
  }
}

/// An entry of the outbox in the form that the server receives.
struct OutboxMessage<Record: Sendable>: Sendable {
  let entry: OutboxEntry.ID
  let change: RemoteChange<Record>
}
