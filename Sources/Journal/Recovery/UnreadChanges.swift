import RepriseLMDB
import RepriseLog
import RepriseObjectModel
import RepriseSystem

/// The net changes of a draft that stay in the tables until a caller needs them. A restored screen reads only the
/// changes of its own objects, for any number of edits.
///
/// The rows do not change until the owner saves or discards the draft, because new edits have a new generation, and an
/// undo reads the changed objects first. So ``readAll()`` comes before a save and a discard.
package final class UnreadChanges: Sendable {
  private let draft: JournalTopic
  private let source: DraftSource
  private let table: Table
  private let summary: DraftSummary
  private let map: SchemaMap
  /// The last generation that was there.
  private let last: UInt64
  private let state: Guarded<State>

  private struct State: Sendable {
    /// The changes that were read, and the entries of journals beyond the rows. `nil` for an object without a net
    /// change.
    var read = ObjectMap<ObjectChange?>()
    var all: ObjectMap<ObjectChange>?
    var referrers: [Reference: Set<UniqueID>]?
    var problems: [JournalProblem] = []
    /// The first failure of a read. It stays set, because the caller of that read assumed that there is no change.
    var failure: StoreError?

    mutating func add(_ found: [JournalProblem]) {
      for problem in found where !problems.contains(problem) { problems.append(problem) }
    }
  }

  private struct Reference: Hashable {
    let entity: EntityName
    let slot: Int
    let target: UniqueID
  }

  /// - Parameters:
  ///   - summary: The summary of the valid rows and of the read changes.
  ///   - read: The objects with entries in journals, and the sum of these entries and the rows.
  init(
    _ draft: JournalTopic, _ source: DraftSource, _ table: Table, _ summary: DraftSummary, _ map: SchemaMap,
    upTo last: UInt64, read: ObjectMap<ObjectChange?>
  ) {
    self.draft = draft
    self.source = source
    self.table = table
    self.summary = summary
    self.map = map
    self.last = last
    state = Guarded(State(read: read))
  }

  /// The damage found so far.
  package var problems: [JournalProblem] { state.withLock { $0.problems } }

  /// Whether all was read.
  var isWholeRead: Bool { state.withLock { $0.all != nil } }

  // MARK: One object

  /// The net change of an object. O(log n) the first time.
  package func change(of id: AnyObjectID) throws(StoreError) -> ObjectChange? {
    guard touches(id.name) else { return nil }
    return try state.withLock { (state) throws(StoreError) in
      if let known = state.read[id] { return known }
      if let all = state.all { return all[id] }
      var problems: [JournalProblem] = []
      let change = try StoreError.converting { () throws(StorageError) in
        try source.environment.read { (transaction) throws(StorageError) in
          try read(id, transaction.view, &problems)
        }
      }
      state.problems += problems
      state.read[id] = .some(change)
      return change
    }
  }

  /// Like ``change(of:)``, for callers that cannot throw. A failure is stored, and ``readAll()`` throws it.
  package func knownChange(of id: AnyObjectID) -> ObjectChange? {
    do { return try change(of: id) } catch {
      state.withLock { $0.failure = $0.failure ?? error }
      return nil
    }
  }

  /// Whether the draft touches objects of an entity.
  package func touches(_ entity: EntityName) -> Bool {
    map.number(entity).map { summary.entities[$0] != nil } ?? false
  }

  /// Whether the draft may give a property of an entity another value, or insert or delete objects.
  package func touches(_ entity: EntityName, _ slot: Int) -> Bool {
    guard let map = map.map(entity), map.stores(slot) else { return false }
    return summary.touches(map.numbers[slot], of: map.number)
  }

  private func read(
    _ id: AnyObjectID, _ view: View, _ problems: inout [JournalProblem]
  ) throws(StorageError) -> ObjectChange? {
    guard let number = map.number(id.name) else { return nil }
    let object = ObjectAddress(entity: number, uuid: id.uuid)
    var found = DraftReplay(draft.name)
    for layer in summary.layers where layer.changes > 0 {
      let key = DraftRowKind.key(object, draft.hash, layer.generation)
      guard let value = try JournalRow.value(key, view, table) else { continue }
      value.withUnsafeBytes { add($0, of: object, layer, to: &found, &problems) }
    }
    return changes(of: found, &problems)[id]
  }

  private func add(
    _ row: UnsafeRawBufferPointer, of object: ObjectAddress, _ layer: DraftSummary.Layer, to state: inout DraftReplay,
    _ problems: inout [JournalProblem]
  ) {
    do throws(MalformedBytes) {
      try state.add(DraftRows.content(of: row), of: object, to: layer.generation)
    } catch {
      problems.append(.damagedRow(table: table.name, reason: error.description))
    }
  }

  private func changes(of state: DraftReplay, _ problems: inout [JournalProblem]) -> ObjectMap<ObjectChange> {
    var failures: [MalformedBytes] = []
    let changes = try? state.changes(map) { failures.append($0) }
    for failure in failures { problems.append(.damagedRow(table: table.name, reason: failure.description)) }
    return changes ?? ObjectMap()
  }

  // MARK: All objects

  /// All net changes. Reads them all the first time.
  package func readAll() throws(StoreError) -> ObjectMap<ObjectChange> {
    try state.withLock { (state) throws(StoreError) in
      if let failure = state.failure { throw failure }
      if let all = state.all { return all }
      let all = try StoreError.converting { () throws(StorageError) in
        try source.environment.read { (transaction) throws(StorageError) in
          try readAll(transaction.view, &state)
        }
      }
      state.all = all
      return all
    }
  }

  /// Like ``readAll()``, for callers that cannot throw. Empty if the read fails.
  package var all: ObjectMap<ObjectChange> {
    do { return try readAll() } catch {
      state.withLock { $0.failure = $0.failure ?? error }
      return ObjectMap()
    }
  }

  private func readAll(_ view: View, _ state: inout State) throws(StorageError) -> ObjectMap<ObjectChange> {
    var found = DraftReplay(draft.name)
    var missing = 0
    for layer in summary.layers where layer.changes > 0 {
      var count = 0
      defer { missing += max(0, layer.changes - count) }
      try rows(of: layer, view) { object, value in
        count += 1
        // The read changes are added at the end. Their damage is known.
        if let name = map.name(number: object.entity), state.read[AnyObjectID(name, object.uuid)] != nil { return true }
        add(value, of: object, layer, to: &found, &state.problems)
        return true
      }
    }
    var all = changes(of: found, &state.problems)
    for (id, change) in state.read { all[id] = change }
    if missing > 0 { state.add([.rowsLost(draft: draft.name, count: missing)]) }
    return all
  }

  /// Lends the rows of a generation until `body` returns false.
  private func rows(
    of layer: DraftSummary.Layer, _ view: View, _ body: (ObjectAddress, UnsafeRawBufferPointer) -> Bool
  ) throws(StorageError) {
    let prefix = DraftRowKind.change.prefix(draft.hash, layer.generation)
    try JournalRow.scan(view, table, prefix: prefix) { key, value in
      var reader = ByteReader(UnsafeRawBufferPointer(rebasing: key.dropFirst(prefix.count)))
      guard let object = try? reader.keyOfObject() else { return true }
      return body(object, value)
    }
  }

  /// Whether no object has a net change. Mostly the first row answers this.
  package var isEmpty: Bool { !hasChange { _ in true } }

  /// Whether any selected object has a net change. Reads up to the first one.
  package func hasChange(_ isWanted: (AnyObjectID) -> Bool) -> Bool {
    let known: Bool? = state.withLock { state in
      if let all = state.all { return all.contains { isWanted($0.key) } }
      return state.read.contains { $0.value != nil && isWanted($0.key) } ? true : nil
    }
    if let known { return known }
    var next: [AnyObjectID] = []
    var isFound = false
    for layer in summary.layers where layer.changes > 0 && !isFound {
      do throws(StoreError) {
        next = try StoreError.converting { () throws(StorageError) in
          try source.environment.read { (transaction) throws(StorageError) in
            try objects(of: layer, transaction.view, atMost: 64, isWanted)
          }
        }
      } catch {
        return !all.isEmpty
      }
      isFound = next.contains { knownChange(of: $0) != nil }
      // More than a few changes without effect are rare.
      if !isFound, next.count == 64 { return all.contains { isWanted($0.key) } }
    }
    return isFound
  }

  private func objects(
    of layer: DraftSummary.Layer, _ view: View, atMost limit: Int, _ isWanted: (AnyObjectID) -> Bool
  ) throws(StorageError) -> [AnyObjectID] {
    var objects: [AnyObjectID] = []
    try rows(of: layer, view) { object, _ in
      if let name = map.name(number: object.entity) {
        let id = AnyObjectID(name, object.uuid)
        if isWanted(id) { objects.append(id) }
      }
      return objects.count < limit
    }
    return objects
  }

  // MARK: References

  /// The objects that may refer to a target in a slot, or did before the draft. Reads nothing where the draft leaves
  /// that property alone, else everything.
  package func referrers(_ entity: EntityName, _ slot: Int, _ target: UniqueID) -> Set<UniqueID> {
    guard touches(entity, slot) else { return [] }
    let all = all
    return state.withLock { state in
      if state.referrers == nil { state.referrers = Self.referrers(all) }
      return state.referrers?[Reference(entity: entity, slot: slot, target: target)] ?? []
    }
  }

  private static func referrers(_ changes: ObjectMap<ObjectChange>) -> [Reference: Set<UniqueID>] {
    var referrers: [Reference: Set<UniqueID>] = [:]
    for (id, change) in changes {
      change.eachReference { slot, target in
        referrers[Reference(entity: id.name, slot: slot, target: target.uuid), default: []].insert(id.uuid)
      }
    }
    return referrers
  }

  // MARK: Undo

  /// The name of the group that is undone next. `nil` if it has none.
  var lastGroupName: String? {
    guard let layer = summary.layers.last(where: { $0.groups > 0 }) else { return nil }
    let row = try? source.environment.read { (transaction) throws(StorageError) in
      try JournalRow.value(
        DraftRowKind.undo.key(layer.groups - 1, draft.hash, layer.generation), transaction.view, table)
    }
    return row.flatMap { $0 }.flatMap { row in
      row.withUnsafeBytes { row in
        guard var reader = try? ByteReader(sealed: row) else { return nil }
        return try? GroupHead(&reader).nameText
      }
    }
  }

  /// The draft as it was, with all of its edits. `nil` if it cannot be read.
  func readAgain() -> DraftReplay? {
    guard let rows = source.readAgain() else { return nil }
    self.state.withLock { $0.add(rows.problems) }
    var state = rows.state
    // Later edits have later generations.
    state.layers.removeAll { $0.generation > last }
    return state
  }
}

/// The source for later reads of a draft's unread part.
package struct DraftSource: Sendable {
  package let environment: Environment
  /// A draft with more rows than this is not read as a whole.
  package let limit: Int
  let readAgain: @Sendable () -> DraftRows?

  package init(environment: Environment, limit: Int, readAgain: @escaping @Sendable () -> DraftRows?) {
    self.environment = environment
    self.limit = limit
    self.readAgain = readAgain
  }
}
