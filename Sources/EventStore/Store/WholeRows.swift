import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// A counted index at the head or at a position before it, sorted by whole values. Its row keys are complete, and it
/// expects complete row keys as arguments.
///
/// A table stores only the beginning of long columns (``RowKey``). Rows with the same beginning are a **run**:
/// neighbours in the table, in order of creation. This type reads the objects of a run and sorts them by their whole
/// values. A row outside of a run costs as much as in a ``CountedIndex``. A run of r rows costs r look-ups and a sort,
/// once for each commit, and then log(r) look-ups for each place in it.
package struct WholeRows: RankedRows {
  let index: CountedIndex
  /// The index at the position before the head. `nil` for the index at the head.
  let past: PastIndex?
  private let map: EntityMap
  private let slot: Int
  private let store: Store

  init(_ index: CountedIndex, _ map: EntityMap, slot: Int, _ store: Store, past: PastIndex? = nil) {
    self.index = index
    self.past = past
    self.map = map
    self.slot = slot
    self.store = store
  }

  package func count(in view: View) throws(StorageError) -> Int {
    if let past { return try past.count(in: view) }
    return try index.count(in: view)
  }

  // MARK: Stored rows

  private func storedPlace(of rowKey: RawSpan, in view: View) throws(StorageError) -> RowPlace {
    if let past { return try past.place(of: rowKey, in: view) }
    return try index.place(of: rowKey, in: view)
  }

  private func storedKey(at rank: Int, in view: View) throws(StorageError) -> [UInt8]? {
    if let past { return try past.rowKey(at: rank, in: view) }
    return try index.rowKey(at: rank, in: view)
  }

  private func forEachStored(
    from rank: Int, _ direction: RowDirection, in view: View, _ body: (RawSpan) throws(StorageError) -> Bool
  ) throws(StorageError) {
    if let past { return try past.forEach(from: rank, direction, in: view, body) }
    try index.forEach(from: rank, direction, in: view, body)
  }

  private func objects(beginningWith columns: [UInt8], in view: View) throws(StorageError) -> [UniqueID] {
    if let past { return try past.objects(beginningWith: columns.span.bytes, in: view) }
    return try index.objects(beginningWith: columns.span.bytes, in: view)
  }

  // MARK: Whole rows

  package func place(of rowKey: RawSpan, in view: View) throws(StorageError) -> RowPlace {
    guard rowKey.byteCount > RowKey.storedLimit else { return try storedPlace(of: rowKey, in: view) }
    let columns = [UInt8](copying: rowKey.extracting(first: RowKey.storedLimit))
    let run = try run(columns, in: view)
    if run.isEmpty {
      // No row begins with these columns, so cutting the key does not change its rank. LMDB accepts no longer keys.
      let length = min(rowKey.byteCount, RowKey.storedLimit + 16)
      var place = try storedPlace(of: rowKey.extracting(first: length), in: view)
      if length < rowKey.byteCount { place.isThere = false }
      return place
    }
    var place = RowPlace(rank: try storedPlace(of: columns.span.bytes, in: view).rank, isThere: false)
    var (low, high) = (0, run.count)
    while low < high {
      let middle = (low + high) / 2
      let other = try key(of: run[middle], in: view)
      let order = compareBytes(other, rowKey)
      if order == 0 { place.isThere = true }
      if order < 0 { low = middle + 1 } else { high = middle }
    }
    place.rank += low
    return place
  }

  package func rowKey(at rank: Int, in view: View) throws(StorageError) -> [UInt8]? {
    guard let stored = try storedKey(at: rank, in: view) else { return nil }
    guard RowKey.isShortened(stored.span.bytes) else { return stored }
    let (run, place) = try run(Array(stored.dropLast(16)), at: rank, in: view)
    return try key(of: run[place], in: view)
  }

  package func forEach(
    from rank: Int, limit: Int, _ direction: RowDirection, in view: View,
    _ body: (_ rowKey: RawSpan) throws(StorageError) -> Bool
  ) throws(StorageError) {
    var walk = Walk(rank: rank, left: limit)
    // A walk may begin in the middle of a run. It enters every other run at one of its ends.
    if let columns = try walkFromRank(&walk, direction, in: view, body) {
      var (run, place) = try run(columns, at: walk.rank, in: view)
      run = direction == .ascending ? Array(run[place...]) : run[...place].reversed()
      try pass(run, &walk, direction, in: view, body)
      _ = try walkFromRank(&walk, direction, in: view, body)
    }
  }

  private struct Walk {
    /// The rank of the next row.
    var rank: Int
    /// The number of rows still wanted. 0 once `body` has returned false.
    var left: Int
    /// The columns that all rows of the collected run begin with.
    var columns: [UInt8] = []
    var run: [UniqueID] = []
  }

  /// Passes rows to `body`. If the first row belongs to a run, stops before it and returns the columns of the run.
  private func walkFromRank(
    _ walk: inout Walk, _ direction: RowDirection, in view: View,
    _ body: (_ rowKey: RawSpan) throws(StorageError) -> Bool
  ) throws(StorageError) -> [UInt8]? {
    guard walk.left > 0 else { return nil }
    let start = walk.rank
    let isFirstWalk = walk.columns.isEmpty
    var first: [UInt8]?
    var state = walk
    try forEachStored(from: start, direction, in: view) { (row) throws(StorageError) in
      guard RowKey.isShortened(row) else {
        try passRun(&state, direction, in: view, body)
        guard state.left > 0 else { return false }
        state.rank += direction == .ascending ? 1 : -1
        let goesOn = try body(row)
        state.left = goesOn ? state.left - 1 : 0
        return state.left > 0
      }
      let columns = row.extracting(droppingLast: 16)
      if isFirstWalk, state.rank == start, state.run.isEmpty {
        first = [UInt8](copying: columns)
        return false
      }
      if state.columns.count != columns.byteCount || compareBytes(state.columns, columns) != 0 {
        try passRun(&state, direction, in: view, body)
        guard state.left > 0 else { return false }
        state.columns = [UInt8](copying: columns)
      }
      if let uuid = RowKey.uuid(row) { state.run.append(uuid) }
      return true
    }
    if first == nil { try passRun(&state, direction, in: view, body) }
    walk = state
    if let first { walk.columns = first }
    return first
  }

  /// Passes on the run that was collected.
  private func passRun(
    _ walk: inout Walk, _ direction: RowDirection, in view: View,
    _ body: (_ rowKey: RawSpan) throws(StorageError) -> Bool
  ) throws(StorageError) {
    if walk.run.isEmpty || walk.left == 0 { return }
    let sorted = try sorted(walk.run, walk.columns, in: view)
    walk.run.removeAll()
    try pass(direction == .ascending ? sorted : sorted.reversed(), &walk, direction, in: view, body)
  }

  private func pass(
    _ uuids: [UniqueID], _ walk: inout Walk, _ direction: RowDirection, in view: View,
    _ body: (_ rowKey: RawSpan) throws(StorageError) -> Bool
  ) throws(StorageError) {
    for uuid in uuids {
      guard walk.left > 0 else { return }
      walk.rank += direction == .ascending ? 1 : -1
      let key = try key(of: uuid, in: view)
      let goesOn = try body(key.span.bytes)
      walk.left = goesOn ? walk.left - 1 : 0
    }
  }

  // MARK: Runs

  /// The run of the row at a rank, and the index of the row in it.
  private func run(
    _ columns: [UInt8], at rank: Int, in view: View
  ) throws(StorageError) -> (uuids: [UniqueID], place: Int) {
    let run = try run(columns, in: view)
    if run.count == 1 { return (run, 0) }
    let place = rank - (try storedPlace(of: columns.span.bytes, in: view).rank)
    guard run.indices.contains(place) else {
      throw index.damaged(
        "its tree has wrong row counts: they place row \(rank) outside its group of \(counted(run.count, "row")) with "
          + "equal values"
      )
    }
    return (run, place)
  }

  /// The objects of all rows that begin with these columns in the table, in the order of their whole row keys.
  private func run(_ columns: [UInt8], in view: View) throws(StorageError) -> [UniqueID] {
    if let known = knownRun(columns, in: view) { return known }
    return try sorted(objects(beginningWith: columns, in: view), columns, in: view)
  }

  /// The run that was sorted last, if it has these columns.
  private func knownRun(_ columns: [UInt8], in view: View) -> [UniqueID]? {
    store.memory.withLock { memory in
      guard let run = memory.sortedRun, run.index == index.number, run.position == past?.position,
        run.position != nil || run.transactionID == view.transactionID, run.columns == columns
      else { return nil }
      return run.uuids
    }
  }

  private func sorted(
    _ uuids: [UniqueID], _ columns: [UInt8], in view: View
  ) throws(StorageError) -> [UniqueID] {
    if uuids.count < 2 { return uuids }
    if let known = knownRun(columns, in: view) { return known }
    var rest: [(key: ArraySlice<UInt8>, uuid: UniqueID)] = []
    rest.reserveCapacity(uuids.count)
    for uuid in uuids {
      let key = try key(of: uuid, in: view)
      rest.append((key.dropFirst(RowKey.storedLimit), uuid))
    }
    rest.sort { left, right in
      left.key.withUnsafeBytes { left in right.key.withUnsafeBytes { compareBytes(left, $0) < 0 } }
    }
    let sorted = rest.map(\.uuid)
    let run = SortedRun(
      index: index.number, columns: columns, position: past?.position, transactionID: view.transactionID, uuids: sorted)
    if run.isLong { store.memory.withLock { $0.sortedRun = run } }
    return sorted
  }

  /// The whole row key of an object.
  private func key(of uuid: UniqueID, in view: View) throws(StorageError) -> [UInt8] {
    if let past { return try key(of: uuid, at: past.position, in: view) }
    let columns = map.entity.index(slot)?.columns ?? [slot]
    let wanted = map.stored.filter { columns.contains($0.slot) }
    var values = map.defaults
    let objects = store.files.objects
    let found = try objects.visitStored(of: uuid, map, objects.reader(view)) { (stored) throws(StorageError) in
      try objects.read(
        wanted, of: objects.reader(of: stored, uuid, map), uuid, into: &values, map, store.map, view)
      return true
    }
    guard found != nil, let key = map.entity.rowKeys(slot, values, uuid).first else {
      throw strayRow(uuid)
    }
    return key
  }

  private func key(of uuid: UniqueID, at position: Position, in view: View) throws(StorageError) -> [UInt8] {
    let head = try store.files.log.lastPosition(view)
    let values = try store.objects.values(of: uuid, map, at: position, head, view.readerOfOne(store.tables.objects))
    guard let values, let key = map.entity.rowKeys(slot, values, uuid).first else {
      throw strayRow(uuid)
    }
    return key
  }

  private func strayRow(_ uuid: UniqueID) -> StorageError {
    index.damaged("it has a row for the object \(uuid), which the store does not have")
  }
}

/// The objects of one run of an index in their order, at one commit.
struct SortedRun: Sendable {
  let index: UInt32
  /// The beginning of its rows in the table.
  let columns: [UInt8]
  /// The position of the rows. `nil` for those at the head, which the transaction shows.
  let position: Position?
  let transactionID: Int
  let uuids: [UniqueID]

  /// Whether the run is worth keeping: a shorter one is sorted as fast as it is found.
  var isLong: Bool { uuids.count >= 64 }
}

extension IndexReader {
  /// The rows of the counted index over a slot, by whole values. `nil` if there is none.
  func wholeRows(_ map: EntityMap, slot: Int) -> WholeRows? {
    map.indexes[slot].map {
      WholeRows(CountedIndex(number: $0, table: store.tables.indexes), map, slot: slot, store)
    }
  }

  /// The rows of the counted index over a slot at a position. `nil` if the index has no history of the position.
  func pastRows(
    _ map: EntityMap, slot: Int, at position: Position, _ view: View
  ) throws(StorageError) -> WholeRows? {
    guard let number = map.indexes[slot], map.keepsHistory(number) else { return nil }
    let history = IndexHistory(number: number, table: store.tables.indexes)
    guard let past = try PastIndex(history, at: position, in: view) else { return nil }
    return WholeRows(past.index, map, slot: slot, store, past: past)
  }
}
