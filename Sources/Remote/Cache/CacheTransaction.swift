import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery

/// One transaction of a source, over the head of the log with all local changes in the outbox. The server's rows become
/// objects, except where a local change differs.
struct CacheTransaction<Element: PersistentModel, Record: Codable & Sendable> {
  let context: RootContext
  let mapping: RemoteMapping<Element, Record>
  let policy: RemoteConflictPolicy
  let outbox: Outbox
  let state: RemoteState
  let scope: RemoteScope<Element>
  let refusals: RowRefusals
  /// Whether an object cannot be deleted although its row is gone.
  var keeps: (Element) throws -> Bool = { _ in false }

  private var entity: Entity { Element.entity }

  func object(_ uuid: UniqueID) -> Element? { context.find(Element.ID(uuid: uuid)) }

  // MARK: Rows of the server

  /// Applies a row as the server has it. Returns its object, or `nil` if the object is deleted in this store.
  @discardableResult
  func take(_ record: Record) throws -> Element? {
    guard let id = mapping.validID(record) else {
      throw RemoteError.malformed(
        reason: "`id` of the RemoteMapping returned nil or a value that '\(mapping.keyName)' cannot hold")
    }
    if let object = try mapping.find(id, context) {
      try merge(record, id, into: object)
      return object
    }
    // A row that was deleted in this store stays deleted until the server has answered.
    if let entry = try outbox.deletion(of: id) {
      noteReading(of: entry)
      return nil
    }
    let object = context.insert(Element(_storage: ObjectStorage(entity)))
    assign(id, to: object)
    try mapping.apply(record, object, context)
    return object
  }

  /// Applies that the server no longer has a row.
  func takeAway(_ id: String) throws {
    // An object that is in another list by now is not a row of this list.
    if let object = try mapping.find(id, context), try scope.contains(object, in: context) {
      if try takeAway(object) { try refusals.remove(id) }
      return
    }
    try refusals.remove(id)
    if let entry = try outbox.deletion(of: id), entry.sendState != .sending {
      context.delete(entry)
    }
  }

  /// Applies that the server no longer has the row of an object. False if the object cannot be deleted.
  func takeAway(_ object: Element) throws -> Bool {
    let entries = try outbox.entries(of: object._storage.uuid)
    guard let last = entries.last else {
      if try keeps(object) { return false }
      context.delete(object)
      return true
    }
    if let sent = entries.first, sent.sendState == .sending {
      // The server's answer to the change that is being sent will decide.
      sent.needsReading = true
    } else {
      try settleGone(last, object)
    }
    return true
  }

  func assign(_ id: String, to object: Element) {
    guard let value = mapping.keyValue(id), object._storage.value(outbox.keySlot) != value else { return }
    context.assign(value, at: outbox.keySlot, of: object)
  }

  /// Sets the values of the row, except values with a local change that is not accepted yet.
  func merge(_ record: Record, _ id: String, into object: Element) throws {
    let entries = try outbox.entries(of: object._storage.uuid)
    // A row that left the list in this store stays away until the server has answered.
    if entries.last?.kind == .delete { return noteReading(of: entries[0]) }
    assign(id, to: object)
    guard let last = entries.last else { return try mapping.apply(record, object, context) }
    let slots = protected(by: entries)
    let mine = slots.map { object._storage.value($0) }
    try mapping.apply(record, object, context)
    var theirs: [String: PropertyValue] = [:]
    for (slot, value) in zip(slots, mine) {
      theirs[entity.properties[slot].name] = object._storage.value(slot)
      context.assign(value, at: slot, of: object)
    }
    if last.sendState != .sending { settle(last, object, theirs) }
    if let sent = entries.first, sent.sendState == .sending { note(theirs, of: sent, object) }
  }

  /// Records that the row was read while a change of it is being sent. The answer may be older than this reading.
  private func note(_ theirs: [String: PropertyValue], of sent: OutboxEntry, _ object: Element) {
    if !sent.isReadSince { sent.isReadSince = true }
    if sent.theirs?.values != theirs { sent.theirs = ValuesByName(theirs) }
    if !sent.needsReading, !isSame(theirs, object) { sent.needsReading = true }
  }

  /// Like ``note(_:of:_:)``, for a row that is deleted in this store. Its values are not kept.
  private func noteReading(of sent: OutboxEntry) {
    if sent.sendState == .sending, !sent.needsReading { sent.needsReading = true }
  }

  private func isSame(_ values: [String: PropertyValue], _ object: Element) -> Bool {
    values.allSatisfy { name, value in entity.slot(named: name).map { object._storage.value($0) == value } ?? true }
  }

  /// The slots that local changes have set.
  func protected(by entries: [OutboxEntry]) -> [Int] {
    if entries.contains(where: { $0.kind != .update }) {
      return outbox.map.stored.map(\.slot).filter { $0 != outbox.keySlot }.sorted()
    }
    let names = Set(entries.flatMap { $0.base.values.keys })
    return names.compactMap { entity.slot(named: $0) }.sorted()
  }

  // MARK: Conflicts

  /// Compares a waiting change with the server's row. There is a conflict only if both sides changed a property to
  /// different values.
  func settle(_ entry: OutboxEntry, _ object: Element, _ theirs: [String: PropertyValue]) {
    if entry.kind == .create {
      // The server already has the row, so a difference is a change.
      entry.kind = .update
      entry.remoteID = mapping.keyText(object._storage.value(outbox.keySlot))
    }
    var base = entry.base
    var conflicts = ValuesByName()
    for (name, their) in theirs {
      guard let slot = entity.slot(named: name) else { continue }
      if object._storage.value(slot) == their {
        base.values[name] = nil
      } else if base[name] != their {
        conflicts[name] = their
      }
    }
    switch policy {
    case .mine: for (name, their) in conflicts.values { base[name] = their }
    case .theirs:
      for (name, their) in conflicts.values {
        if let slot = entity.slot(named: name) { context.assign(their, at: slot, of: object) }
        base.values[name] = nil
      }
    case .ask: for (name, _) in conflicts.values where base[name] == nil { base[name] = .null }
    }
    entry.base = base
    if base.isEmpty { return context.delete(entry) }
    guard case .ask = policy, !conflicts.isEmpty else {
      if entry.sendState == .refused, entry.reason == nil { outbox.reopen(entry) }
      return
    }
    entry.sendState = .refused
    entry.theirs = conflicts
    entry.isGone = false
    entry.reason = nil
  }

  /// Compares a waiting change with a deletion by the server.
  func settleGone(_ entry: OutboxEntry, _ object: Element?) throws {
    guard let object, entry.kind != .delete, try scope.contains(object, in: context) else {
      return context.delete(entry)
    }
    switch policy {
    case .ask:
      entry.sendState = .refused
      entry.isGone = true
      entry.theirs = nil
      entry.reason = nil
    case .mine: recreate(entry)
    case .theirs:
      context.delete(entry)
      if try !keeps(object) { context.delete(object) }
    }
  }

  /// Compares a deletion that the server did not make with the server's row.
  func settleDeletion(_ entry: OutboxEntry, _ record: Record) throws {
    switch policy {
    case .ask: refuse(entry, "the server changed the row meanwhile")
    case .mine: break
    case .theirs:
      context.delete(entry)
      try take(record)
    }
  }

  private func recreate(_ entry: OutboxEntry) {
    entry.kind = .create
    entry.base = ValuesByName()
    outbox.reopen(entry)
  }

  /// Keeps the local side of a conflict: it is sent again.
  func keepMine(_ id: OutboxEntry.ID) throws {
    guard let entry = context.find(id), entry.sendState == .refused else { return }
    entry.attempts = 0
    if entry.isUnanswered { return try outbox.sendAgain(entry) }
    if entry.isGone { return recreate(entry) }
    var base = entry.base
    base.values.merge(entry.theirs?.values ?? [:]) { _, their in their }
    entry.base = base
    outbox.reopen(entry)
  }

  /// Takes the server's side of a conflict.
  func takeTheirs(_ id: OutboxEntry.ID) throws {
    guard let entry = context.find(id), entry.sendState == .refused else { return }
    let object = object(entry.object)
    // If the server's answer could not be understood, this also deletes the waiting changes.
    for entry in try outbox.entries(of: entry.object) { context.delete(entry) }
    guard let object, entry.kind != .create, !entry.isGone else {
      if let object { context.delete(object) } else { readAllAnew() }
      return
    }
    let theirs = entry.theirs
    // A property that the server did not change gets its value from before the local change. Without the server's
    // values, this is uncertain, so the rows are read again.
    for (name, base) in entry.base.values {
      guard let slot = entity.slot(named: name) else { continue }
      context.assign(theirs?[name] ?? base, at: slot, of: object)
    }
    if theirs == nil { readAllAnew() }
  }

  /// The next refresh requests all rows instead of the changed ones. Earlier pages do not count.
  func readAllAnew() {
    state.changeReading()
    state.validator = nil
    state.cursor = nil
  }
}
