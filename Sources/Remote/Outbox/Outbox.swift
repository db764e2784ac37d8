import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery

/// The local changes of a source that the server has not accepted, in a context.
///
/// They are collected from the log: every saved change must be sent, except changes that came from the server. So each
/// change belongs to the outbox from the moment of its save, and a kill loses none.
struct Outbox {
  let context: RootContext
  let state: RemoteState
  let map: EntityMap
  let keySlot: Int
  let keyText: @Sendable (PropertyValue) -> String?
  /// Whether an object was a row of the source's list after the transaction at a position.
  let isRow: (UniqueID, Position) throws -> Bool

  private var source: String { state.source }

  // MARK: Finding

  func count() throws -> Int {
    let source = source
    return try context.count(Fetch<OutboxEntry> { $0.source == source })
  }

  /// The changes that the server refused, or that are in conflict, oldest first.
  func refused() throws -> [OutboxEntry] {
    let source = source
    let state = OutboxEntry.State.refused
    return try context.fetch(
      Fetch<OutboxEntry> { $0.source == source && $0.state == state }.sorted { $0.sequence })
  }

  /// The entries of an object: first the one that is being sent, then the one that waits.
  func entries(of object: UniqueID) throws -> [OutboxEntry] {
    let source = source
    return try context.fetch(Fetch<OutboxEntry> { $0.object == object && $0.source == source }.sorted { $0.sequence })
  }

  /// The deletion of an object that had this identifier.
  func deletion(of remoteID: String) throws -> OutboxEntry? {
    let source = source
    return try context.fetch(Fetch<OutboxEntry> { $0.remoteID == remoteID && $0.source == source })
      .last { $0.kind == .delete }
  }

  /// The next change to send: a change that may have been sent already, or otherwise the one that has waited longest.
  /// O(log n).
  func next() throws -> OutboxEntry? { try sending() ?? first(.waiting) }

  /// The change that may have been sent, and was not answered. There is at most one. O(log n).
  func sending() throws -> OutboxEntry? { try first(.sending) }

  private func first(_ state: OutboxEntry.State) throws -> OutboxEntry? {
    let source = source
    return try context.fetch(
      Fetch<OutboxEntry> { $0.source == source && $0.state == state }.sorted { $0.sequence }.limit(1)
    ).first
  }

  // MARK: Collecting

  /// The number of transactions to read before their changes are saved in the outbox.
  static let slice = 256

  /// Collects local changes from the log after a position. Returns the last position that it read. If that is before
  /// the head, there are more.
  func collect(after position: Position) throws -> Position {
    let (changes, reached) = try context.store.log.loggedChanges(
      of: map, after: position, limit: Self.slice, except: RemoteModels.author)
    for change in changes { try add(change) }
    return reached
  }

  private func add(_ change: LoggedChange) throws {
    guard let kind = try kind(of: change) else { return }
    let last = try entries(of: change.object).last
    let open = last.flatMap { $0.isTold ? nil : $0 }
    switch kind {
    case .inserted: try insert(change, open)
    case .updated(let slots): try update(change, slots, open)
    case .deleted: try delete(change, open)
    }
    let all = try entries(of: change.object)
    all.last?.changed = Int(truncatingIfNeeded: change.position.number)
    // Like any refused change, it is tried again after an edit.
    if let first = all.first, first.isUnanswered { try sendAgain(first) }
  }

  /// The meaning of a change for the list. An object that enters the scope is a new row, and one that leaves it is a
  /// deleted row. `nil` if the object was and is no row.
  private func kind(of change: LoggedChange) throws -> LoggedChange.Kind? {
    let (wasRow, isRow) =
      switch change.kind {
      case .inserted: (false, try isRow(change.object, change.position))
      case .updated: (try isRow(change.object, change.position - 1), try isRow(change.object, change.position))
      case .deleted: (try isRow(change.object, change.position - 1), false)
      }
    return switch (wasRow, isRow) {
    case (false, false): nil
    case (false, true): .inserted
    case (true, true): change.kind
    case (true, false): .deleted
    }
  }

  private func insert(_ change: LoggedChange, _ open: OutboxEntry?) throws {
    guard let open else {
      let entry = append(.create, of: change.object)
      entry.remoteID = try key(of: change.object, at: change.position)
      return
    }
    if open.kind == .create { return reopenIfUnresolvable(open) }
    // A later save undid the deletion, or the object came back into the list. All its values may differ.
    open.kind = .update
    open.base = ValuesByName(try values(of: change.object, at: change.position))
    reopen(open)
  }

  private func update(_ change: LoggedChange, _ slots: [Int], _ open: OutboxEntry?) throws {
    let names = slots.filter { $0 != keySlot }.map { map.entity.properties[$0].name }
    guard !names.isEmpty else { return }
    if let open, open.kind == .create { return reopenIfUnresolvable(open) }
    let before = try values(of: change.object, at: change.position - 1)
    let entry: OutboxEntry
    if let open {
      entry = open
    } else {
      entry = append(.update, of: change.object)
      entry.remoteID = try key(of: change.object, at: change.position)
    }
    var base = entry.base
    for name in names where base[name] == nil { base[name] = before[name] ?? .null }
    entry.base = base
    reopenIfUnresolvable(entry)
  }

  private func delete(_ change: LoggedChange, _ open: OutboxEntry?) throws {
    guard let open else {
      let entry = append(.delete, of: change.object)
      entry.remoteID = try key(of: change.object, at: change.position - 1)
      return
    }
    // The server has never had the row, or no longer has it.
    if open.kind == .create || open.isGone { return context.delete(open) }
    open.kind = .delete
    // The server may have named the row since the entry was made.
    open.remoteID = try key(of: change.object, at: change.position - 1) ?? open.remoteID
    open.base = ValuesByName()
    reopen(open)
  }

  private func append(_ kind: OutboxEntry.Kind, of object: UniqueID) -> OutboxEntry {
    state.sequence += 1
    return context.insert(OutboxEntry(source, state.sequence, kind, of: object))
  }

  // MARK: States

  /// Gives an entry a new key, and makes it wait. The server will see a different change.
  func reopen(_ entry: OutboxEntry) {
    entry.sendState = .waiting
    entry.key = UniqueID()
    entry.payload = nil
    entry.body = nil
    entry.theirs = nil
    entry.reason = nil
    entry.isGone = false
    entry.isReadSince = false
    entry.needsReading = false
  }

  /// Sends a change again whose answer could not be understood. It is unchanged and has the same key, so that the
  /// server makes it once. Later changes are sent after it.
  func sendAgain(_ entry: OutboxEntry) throws {
    entry.sendState = .waiting
    entry.reason = nil
    entry.isGone = false
    // The row may have been read before it was deleted.
    entry.needsReading = true
    for later in try entries(of: entry.object) where later.sendState == .held { later.sendState = .waiting }
  }

  /// A change that the server refused is tried again after it was edited. A change in conflict with the server waits
  /// for the program.
  private func reopenIfUnresolvable(_ entry: OutboxEntry) {
    guard entry.sendState == .refused, entry.theirs == nil, !entry.isGone else { return }
    entry.attempts = 0
    reopen(entry)
  }

  /// Takes back an entry that was sent, and joins it with the later one. Returns the remaining entry, if any.
  func takeBack(_ entry: OutboxEntry) throws -> OutboxEntry? {
    let later = try entries(of: entry.object).last { $0 !== entry }
    reopen(entry)
    guard let later else { return entry }
    switch (entry.kind, later.kind) {
    case (.create, .delete):
      context.delete(later)
      context.delete(entry)
      return nil
    case (_, .delete):
      context.delete(entry)
      return later
    case (.delete, _):
      // The object was deleted and exists again.
      later.kind = .update
      later.base = ValuesByName(try values(of: later.object, at: context.position))
      context.delete(entry)
      return later
    case (.create, _):
      context.delete(later)
      return entry
    case (.update, _):
      var base = later.base
      base.values.merge(entry.base.values) { _, earlier in earlier }
      entry.base = base
      context.delete(later)
      return entry
    }
  }

  /// Makes a change of one object a change of another object, which may have a waiting change.
  func move(_ entry: OutboxEntry, to object: UniqueID, besides other: OutboxEntry?) {
    entry.object = object
    guard let other else { return }
    if entry.sendState == .sending {
      // The waiting change is sent after it.
      state.sequence += 1
      other.sequence = state.sequence
      return
    }
    var base = entry.base
    base.values.merge(other.base.values) { _, others in others }
    entry.base = base
    context.delete(other)
  }

  // MARK: Past values

  private func values(of object: UniqueID, at position: Position) throws -> [String: PropertyValue] {
    let pinned = context.store.pin(at: position)
    defer { context.store.unpin(pinned) }
    guard let values = try context.store.objects.values(of: object, map, at: position) else { return [:] }
    var named: [String: PropertyValue] = [:]
    for slot in map.stored.map(\.slot) where slot != keySlot { named[map.entity.properties[slot].name] = values[slot] }
    return named
  }

  private func key(of object: UniqueID, at position: Position) throws -> String? {
    let pinned = context.store.pin(at: position)
    defer { context.store.unpin(pinned) }
    return try context.store.objects.values(of: object, map, at: position).flatMap { keyText($0[keySlot]) }
  }
}
