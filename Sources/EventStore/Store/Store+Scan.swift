import RepriseLMDB
import RepriseObjectModel

/// The objects of an entity that a scan visits, and their order. An index may yield a superset of the matches: the
/// caller tests the values.
package enum ScanPath: Sendable {
  /// All objects, in order of creation.
  case all
  /// Those whose to-one relationship in a slot refers to an object, in order of creation.
  case inverse(slot: Int, target: AnyObjectID)
  /// Those whose rows in the index over a slot lie between two keys, excluding the upper one (`nil` is unbounded), in
  /// the order of the index or in reverse.
  case rows(slot: Int, from: [UInt8], before: [UInt8]?, isAscending: Bool)
}

/// An object that a scan visits, decoded only as far as requested.
package struct ScannedObject {
  package let uuid: UniqueID
  /// By slot; defaults in slots that were not requested.
  package let values: ContiguousArray<PropertyValue>
  /// Whether it is visited in the order of the path. Objects changed since the position come first, in no order.
  package let isInOrder: Bool
  /// Its row in the scanned index, valid during the call; empty in other scans.
  package let rowKey: UnsafeRawBufferPointer
}

/// The caller's decision about a visited object.
package enum ScanDecision {
  case pass
  /// Decode all its values and pass them to `take`.
  case take
  /// Stop: neither this object nor any later one is wanted.
  case end
}

extension Store {
  /// Visits the objects of an entity along a path, as they were at a position: `decide` sees each, `take` receives
  /// those that it accepts.
  ///
  /// - Parameters:
  ///   - slots: The properties decoded for `decide`; `nil` for all.
  ///   - excluded: Objects to skip, because overlays hide them.
  package func scan(
    _ map: EntityMap, _ path: ScanPath, at position: Position, reading slots: Set<Int>?,
    excluding excluded: Set<UniqueID>, decide: (ScannedObject) -> ScanDecision,
    take: (UniqueID, ContiguousArray<PropertyValue>) -> Void
  ) throws(StoreError) {
    let schema = self.map
    let wanted = slots.map { slots in map.stored.filter { slots.contains($0.slot) } }
    let noRow = UnsafeRawBufferPointer(start: nil, count: 0)
    try read { (view, head) throws(StorageError) in
      // Objects that changed since the position are read one by one, as they were then.
      let changed = try changedSince(position, head, map, view)
      for uuid in changed where !excluded.contains(uuid) {
        let now = try objects.values(of: uuid, map, schema, view)
        let id = AnyObjectID(map.entity.interned, uuid)
        guard let then = try rewind(now, id, map, from: head, to: position, view) else { continue }
        let object = ScannedObject(uuid: uuid, values: then, isInOrder: false, rowKey: noRow)
        if decide(object) == .take { take(uuid, then) }
      }
      var values = map.defaults
      func meet(
        _ uuid: UniqueID, _ record: RecordReader, _ rowKey: UnsafeRawBufferPointer
      ) throws(MalformedBytes) -> Bool {
        if let wanted {
          try record.fields.read(wanted, into: &values, map, schema)
        } else {
          values = try record.values(map, schema)
        }
        switch decide(ScannedObject(uuid: uuid, values: values, isInOrder: true, rowKey: rowKey)) {
        case .pass: return true
        case .take:
          take(uuid, wanted == nil ? values : try record.values(map, schema))
          return true
        case .end: return false
        }
      }
      func isSeen(_ uuid: UniqueID) -> Bool { !excluded.contains(uuid) && !changed.contains(uuid) }
      switch path {
      case .all:
        try objects.scanRecords(map.number, map.entity.name, view) { (uuid, record) throws(MalformedBytes) in
          if !isSeen(uuid) { return true }
          return try meet(uuid, record, noRow)
        }
      case .inverse(let slot, let target):
        guard let number = map.indexes[slot] else { return }
        for uuid in try PlainIndex(number: number, table: tables.indexes).members(of: target.uuid, in: view) {
          guard isSeen(uuid) else { continue }
          let goesOn = try objects.withRecord(of: uuid, map, view) { (record) throws(MalformedBytes) in
            try meet(uuid, record, noRow)
          }
          if goesOn == false { return }
        }
      case .rows(let slot, let lower, let upper, let isAscending):
        guard let number = map.indexes[slot] else { return }
        let index = CountedIndex(number: number, table: tables.indexes)
        // No row key begins with a greater byte.
        let start = isAscending ? lower : upper ?? [.max]
        try index.forEach(at: start.span.bytes, isAscending ? .ascending : .descending, in: view) {
          (rowKey) throws(StorageError) in
          if isAscending ? upper.map({ !rowKey.precedes($0) }) ?? false : rowKey.precedes(lower) { return false }
          guard let uuid = RowKey.uuid(rowKey), isSeen(uuid) else { return true }
          let goesOn = try rowKey.withUnsafeBytes { (key) throws(StorageError) in
            try objects.withRecord(of: uuid, map, view) { (record) throws(MalformedBytes) in
              try meet(uuid, record, key)
            }
          }
          return goesOn ?? true
        }
      }
    }
  }

  /// The number of objects on a path at the head. O(log n); O(rows) for the members of a relationship.
  package func rowCount(_ map: EntityMap, _ path: ScanPath) throws(StoreError) -> Int {
    try read { (view, _) throws(StorageError) in
      switch path {
      case .all: return try MetaTable(tables.meta).count(of: map.number, view)
      case .inverse(let slot, let target):
        guard let number = map.indexes[slot] else { return 0 }
        return try PlainIndex(number: number, table: tables.indexes).count(of: target.uuid, in: view)
      case .rows(let slot, let lower, let upper, _):
        guard let number = map.indexes[slot] else { return 0 }
        let index = CountedIndex(number: number, table: tables.indexes)
        let first = lower.isEmpty ? 0 : try index.place(of: lower.span.bytes, in: view).rank
        guard let upper else { return try index.count(in: view) - first }
        return max(0, try index.place(of: upper.span.bytes, in: view).rank - first)
      }
    }
  }

  /// The number of objects of an entity at a position. O(changes since).
  package func objectCount(of map: EntityMap, at position: Position) throws(StoreError) -> Int {
    let schema = self.map
    return try read { (view, head) throws(StorageError) in
      var count = try MetaTable(tables.meta).count(of: map.number, view)
      for uuid in try changedSince(position, head, map, view) {
        let now = try objects.values(of: uuid, map, schema, view)
        let then = try rewind(now, AnyObjectID(map.entity.interned, uuid), map, from: head, to: position, view)
        count += (then == nil ? 0 : 1) - (now == nil ? 0 : 1)
      }
      return count
    }
  }
}

extension RawSpan {
  /// Whether these bytes sort before others in the order of the environment.
  fileprivate func precedes(_ other: [UInt8]) -> Bool {
    withUnsafeBytes { $0.lexicographicallyPrecedes(other) }
  }
}
