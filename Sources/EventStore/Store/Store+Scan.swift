import RepriseLMDB
import RepriseObjectModel

/// Which objects of an entity a scan looks at: all, or those that an index names. What an index names is a superset of
/// what is meant: the caller looks at the values.
package enum ScanPath: Sendable {
  case all
  /// Those whose to-one relationship in a slot leads to an object.
  case inverse(slot: Int, target: AnyObjectID)
  /// Those whose rows in the index over a slot lie between two keys, the upper one excluded; `nil` is open.
  case rows(slot: Int, from: [UInt8], before: [UInt8]?)
}

extension Store {
  /// Calls `body` with each object of an entity as it was at a position, in no particular order.
  ///
  /// - Parameter excluded: Objects to pass over: the caller knows better.
  package func scan(
    _ map: EntityMap, _ path: ScanPath, at position: Position, excluding excluded: Set<UniqueID>,
    _ body: (UniqueID, ContiguousArray<PropertyValue>) -> Void
  ) throws(StoreError) {
    let schema = self.map
    try read { (view, head) throws(StorageError) in
      // What changed since the position is looked at one by one, as it was then.
      let changed = try changedSince(position, head, map, view)
      switch path {
      case .all:
        try objects.forEach(map, schema, view) { uuid, values in
          if !excluded.contains(uuid) && !changed.contains(uuid) { body(uuid, values) }
        }
      case .inverse, .rows:
        for uuid in try indexed(map, path, view) where !excluded.contains(uuid) && !changed.contains(uuid) {
          if let values = try objects.values(of: uuid, map, schema, view) { body(uuid, values) }
        }
      }
      for uuid in changed where !excluded.contains(uuid) {
        let now = try objects.values(of: uuid, map, schema, view)
        let id = AnyObjectID(map.entity.interned, uuid)
        if let then = try rewind(now, id, map, from: head, to: position, view) { body(uuid, then) }
      }
    }
  }

  /// How many objects of an entity there were at a position. O(changes since).
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

  private func indexed(_ map: EntityMap, _ path: ScanPath, _ view: View) throws(StorageError) -> [UniqueID] {
    switch path {
    case .all: return []
    case .inverse(let slot, let target):
      guard let number = map.indexes[slot] else { return [] }
      return try PlainIndex(number: number, table: tables.indexes).members(of: target.uuid, in: view)
    case .rows(let slot, let lower, let upper):
      guard let number = map.indexes[slot] else { return [] }
      let index = CountedIndex(number: number, table: tables.indexes)
      var uuids: [UniqueID] = []
      try index.forEach(at: lower.span.bytes, in: view) { rowKey in
        if let upper, !rowKey.precedes(upper) { return false }
        if let uuid = RowKey.uuid(rowKey) { uuids.append(uuid) }
        return true
      }
      return uuids
    }
  }
}

extension RawSpan {
  /// Whether these bytes come before others in the order of the environment.
  fileprivate func precedes(_ other: [UInt8]) -> Bool {
    withUnsafeBytes { $0.lexicographicallyPrecedes(other) }
  }
}
