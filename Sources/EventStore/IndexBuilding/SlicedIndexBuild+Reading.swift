import RepriseLMDB
import RepriseLog
import RepriseObjectModel
import RepriseSystem

// Reads the rows for the next step.

extension SlicedIndexBuild {
  func prepare() throws(StoreError) -> Work {
    try read { (view) throws(StorageError) in try prepare(view) }
  }

  func prepare(_ view: borrowing View) throws(StorageError) -> Work {
    let schema = try meta.schema(view)
    if target.isReady(in: schema) {
      return try meta.indexBuild(target.property, view).map { .remove($0) } ?? .nothing
    }
    guard schema.entity(number: target.entity)?.property(number: target.property)?.index == nil else { return .publish }
    let stored = try meta.indexBuild(target.property, view)
    let isNew = !isKnown || stored != state
    if isNew {
      forget()
      state = stored
      isKnown = true
    }
    guard let state, !state.isClearing, let (entity, property) = described(schema),
      let index = StoredIndex(property, of: entity)
    else { return .begin }
    if isNew {
      let rows = try CountedIndex(number: state.index, table: tables.indexes).count(in: view)
      if rows != state.rows || state.orders != property.orders { return .beginAnew(state) }
    }
    let head = try log.lastPosition(view)
    let objects = ObjectTable(tables)
    var logged = self.logged ?? LoggedIndexChanges(index, of: target.entity, from: state.mark)
    self.logged = nil
    defer { self.logged = logged }
    let all = try meta.count(of: target.entity, view)
    let isAtHead = try logged.read(log, upTo: head, view)
    // Beginning again costs less than following so many changes in the log.
    if logged.count > max(100_000, all) { return .beginAnew(state) }
    guard isAtHead else { return .reading }

    if let next = state.next, batch == nil, logged.count < limit {
      batch = IndexBatch(property, of: entity, from: next, planned: state.batch, at: head)
    }
    if var batch, !batch.isRead {
      self.batch = nil
      for change in try logged.changes(after: batch.position, objects, view) where batch.has(change.uuid) {
        batch.replace(change.before, by: change.after, behind: batch.last)
      }
      batch.position = head
      let begun = WakeUp.now()
      try batch.read(entity, objectLimit: objectLimit, byteLimit: options.batchBytes, objects, view)
      // Objects with long texts take longer, because the texts have many words.
      if WakeUp.now() - begun > 10 * options.nanoseconds { objectLimit = max(100, objectLimit / 2) }
      self.batch = batch
      progress = 0.5 * Double(state.done + batch.objects) / Double(max(1, all))
      return .reading
    }
    return try next(behind: state, &logged, objects, all, view)
  }

  /// The next rows, once all other saves are known.
  func next(
    behind state: IndexBuildState, _ logged: inout LoggedIndexChanges, _ objects: ObjectTable, _ all: Int,
    _ view: borrowing View
  ) throws(StorageError) -> Work {
    var next = state
    var changes = IndexChanges(index: state.index)
    var batch = self.batch
    self.batch = nil
    defer { self.batch = batch }
    // The rows of a batch may be of a later position than the rows in the index. The latter must first be brought to
    // that position.
    let ahead = batch.flatMap { logged.hasEvents(upTo: $0.position) ? $0.position : nil }
    let taken = try logged.take(limit, upTo: ahead ?? Position(.max), objects, view)
    for change in taken {
      state.add(change, to: &changes)
      if ahead == nil, batch?.has(change.uuid) ?? false {
        batch?.replace(change.before, by: change.after, behind: state.batch?.last ?? [])
      }
    }
    next.mark = logged.mark
    guard var rows = batch, !logged.hasEvents(upTo: rows.position) else {
      // After `limit` events, the mark is written even if they change nothing in the index, so that they are not read
      // again after a kill.
      if changes.isEmpty, taken.count < limit { return state.next == nil && logged.count == 0 ? .publish : .reading }
      next.rows += changes.balance
      return .slice(Slice(changes: changes, state: next, endsBatch: false))
    }
    batch = nil
    let keys = rows.take(max(1, limit - taken.count))
    for key in keys { changes.add(key, isInsert: true) }
    if rows.isEmpty {
      (next.next, next.batch) = (rows.end, nil)
      next.done += rows.objects
    } else {
      next.batch = IndexBuildState.Batch(end: rows.end, last: keys.last ?? state.batch?.last ?? [])
    }
    next.rows += changes.balance
    let written = Double(state.done) + Double(rows.objects) * rows.share
    progress = min(1, 0.5 + 0.5 * written / Double(max(1, all)))
    batch = rows
    return .slice(Slice(changes: changes, state: next, endsBatch: rows.isEmpty))
  }
}

extension IndexChanges {
  /// The number of inserted rows, less the number of removed ones.
  fileprivate var balance: Int { changes.reduce(0) { $0 + ($1.isInsert ? 1 : -1) } }
}

extension IndexBuildState {
  /// Whether the index already contains the row with this key, provided that the object has it.
  func has(_ key: [UInt8], of uuid: UniqueID) -> Bool {
    guard let next, uuid >= next else { return true }
    guard let batch, batch.end.map({ uuid < $0 }) ?? true else { return false }
    return !batch.last.precedes(key)
  }

  /// Adds the effect of a change on the rows that are in the index.
  func add(_ change: LoggedIndexChanges.RowChange, to changes: inout IndexChanges) {
    let both = Set(change.before).intersection(change.after)
    for key in change.before where !both.contains(key) && has(key, of: change.uuid) {
      changes.add(key, isInsert: false)
    }
    for key in change.after where !both.contains(key) && has(key, of: change.uuid) { changes.add(key, isInsert: true) }
  }
}
