import RepriseLMDB
import RepriseLog
import RepriseObjectModel

// Reads at a position before the head, without looking for the objects that changed after it.

extension IndexReader {
  /// The index over a slot at a position. `nil` if it has no history of the position.
  package func past(_ map: EntityMap, slot: Int, at position: Position) throws(StoreError) -> PastIndex? {
    guard let number = map.indexes[slot], map.keepsHistory(number) else { return nil }
    return try store.read { (view, _) throws(StorageError) in
      try PastIndex(IndexHistory(number: number, table: store.tables.indexes), at: position, in: view)
    }
  }

  /// The number of rows in some ranges of an index at its position. O(ranges × log n).
  package func rowCount(
    _ map: EntityMap, slot: Int, in ranges: KeyRanges, of past: PastIndex
  ) throws(StoreError) -> Int {
    let rows = WholeRows(past.index, map, slot: slot, store, past: past)
    return try store.read { (view, _) throws(StorageError) in
      if ranges.isAll { return try rows.count(in: view) }
      var count = 0
      for range in ranges.ranges { count += try rows.ranks(in: range, view).count }
      return count
    }
  }

  /// The objects whose rows are in a range of an index at its position, in the order of the index. O(rows).
  package func objects(
    _ map: EntityMap, slot: Int, in range: KeyRange, of past: PastIndex
  ) throws(StoreError) -> [UniqueID] {
    let rows = WholeRows(past.index, map, slot: slot, store, past: past)
    return try store.read { (view, _) throws(StorageError) in
      var uuids: [UniqueID] = []
      var cursor = try view.cursor(store.tables.indexes)
      _ = try forEachRow(of: rows, in: range, true, &cursor, view) { _, uuid in
        uuids.append(uuid)
        return true
      }
      return uuids
    }
  }
}

extension ObjectReader {
  /// Visits objects as they were at a position. `decide` sees each, and `take` receives the accepted ones.
  ///
  /// An object that did not change since costs as much as in a scan at the head. Any other one costs a transaction of
  /// the log for each change, too.
  ///
  /// - Parameters:
  ///   - path: The objects: ``ScanPath/objects(_:)``, or ``ScanPath/rows(slot:_:isAscending:)`` of `past`.
  ///   - past: The index at the position.
  package func scanPast(
    _ map: EntityMap, _ path: ScanPath, _ past: PastIndex?, at position: Position, reading: ScanReading,
    decide: (ScannedObject) -> ScanDecision, take: (UniqueID, ContiguousArray<PropertyValue>) -> Void
  ) throws(StoreError) {
    let noRow = UnsafeRawBufferPointer(start: nil, count: 0)
    let readsRecords = !reading.isNothing
    try store.read { (view, head) throws(StorageError) in
      let objects = store.files.objects.reader(view)
      func meet(_ uuid: UniqueID, _ rowKey: UnsafeRawBufferPointer, _ readsRecords: Bool) throws(StorageError) -> Bool {
        var values = map.defaults
        if readsRecords {
          guard let then = try self.values(of: uuid, map, at: position, head, objects) else { return true }
          values = then
        }
        switch decide(ScannedObject(uuid: uuid, values: values, rowKey: rowKey, isInOrder: true)) {
        case .pass: return true
        case .take:
          take(uuid, values)
          return true
        case .end: return false
        }
      }
      switch path {
      case .objects(let uuids):
        // An object may not have existed.
        for uuid in uuids { if try !meet(uuid, noRow, true) { return } }
      case .rows(let slot, let ranges, let isAscending):
        guard let past else { return }
        let rows = WholeRows(past.index, map, slot: slot, store, past: past)
        var cursor = try view.cursor(store.tables.indexes)
        for range in isAscending ? ranges : ranges.reversed() {
          let goesOn = try store.indexes.forEachRow(of: rows, in: range, isAscending, &cursor, view) {
            (rowKey, uuid) throws(StorageError) in try meet(uuid, rowKey, readsRecords)
          }
          guard goesOn else { return }
        }
      case .all, .born, .search: break
      }
    }
  }
}
