import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// The objects of an entity that a scan visits, and their order. They may be more than the objects that match: the
/// caller tests them.
package enum ScanPath: Sendable {
  /// All objects, in order of creation.
  case all
  /// The objects whose IDs are in a range, in order of creation or in reverse.
  case born(ClosedRange<UniqueID>, isAscending: Bool)
  /// These objects in ascending order, which is the order of creation. A scan skips missing objects.
  case objects([UniqueID])
  /// The objects whose rows in the index over a slot lie in some ranges: range by range, and in each range in the order
  /// of the index. Or all of it in reverse.
  case rows(slot: Int, [KeyRange], isAscending: Bool)
  /// The objects with a row in each of these ranges of the search index in a slot, in order of creation.
  case search(slot: Int, [WordRange])
}

/// The properties that a scan reads of each object. If there are none, a scan along
/// ``ScanPath/rows(slot:_:isAscending:)`` or ``ScanPath/search(slot:_:)`` does not read the records.
package struct ScanReading: Sendable {
  /// The properties that decide whether an object is accepted.
  package let tested: SlotSet
  /// The properties to read of accepted objects. `nil` means all.
  package let taken: SlotSet?

  package init(tested: SlotSet, taken: SlotSet?) {
    self.tested = tested
    self.taken = taken
  }

  var isNothing: Bool { tested.isEmpty && taken?.isEmpty ?? false }
}

/// An object that a scan visits, decoded only as far as requested.
package struct ScannedObject {
  package let uuid: UniqueID
  /// By slot; defaults in slots that were not requested.
  package let values: ContiguousArray<PropertyValue>
  /// Its row in the scanned index, valid during the call. Empty in other scans.
  package let rowKey: UnsafeRawBufferPointer
  /// Whether the scan visits this object in the order of its ``ScanPath``. Objects that changed after the parameter
  /// `known` of ``ObjectReader/scan`` come first, in no order.
  package let isInOrder: Bool
}

/// The values that a scan decoded last. A class, because closures share the values, and Swift would check exclusive
/// access to a captured variable at each object.
private final class DecodedValues {
  // No other code runs while it is accessed.
  @exclusivity(unchecked) var values: ContiguousArray<PropertyValue>

  init(_ values: ContiguousArray<PropertyValue>) { self.values = values }
}

/// The caller's decision about a visited object.
package enum ScanDecision {
  case pass
  /// Decode the values to take, and pass them to `take`.
  case take
  /// Stop: the caller needs neither this object nor any later one.
  case end
}

extension ObjectReader {
  /// Visits the objects of an entity along a path. `decide` sees each, and `take` receives the accepted ones.
  ///
  /// - Parameters:
  ///   - position: The position of the values.
  ///   - known: A position at or after `position`. The scan hides the objects that changed up to it, because the caller
  ///     has them. It visits the objects that changed later as they were at `position`.
  ///   - isHidden: Whether to skip an object.
  package func scan(
    _ map: EntityMap, _ path: ScanPath, at position: Position, known: Position, reading: ScanReading,
    isHidden: (UniqueID) -> Bool, decide: (ScannedObject) -> ScanDecision,
    take: (UniqueID, ContiguousArray<PropertyValue>) -> Void
  ) throws(StoreError) {
    let schema = store.map
    // Loaded once instead of once for each object.
    let objects = store.files.objects
    let tested = map.stored.filter { reading.tested.contains($0.slot) }
    let taken = reading.taken.map { slots in
      map.stored.filter { slots.contains($0.slot) && !reading.tested.contains($0.slot) }
    }
    let noRow = UnsafeRawBufferPointer(start: nil, count: 0)
    try store.read { (view, head) throws(StorageError) in
      let changed = try changedSince(known, head, map, view)
      for uuid in changed where !isHidden(uuid) {
        let now = try objects.values(of: uuid, map, schema, view)
        let id = AnyObjectID(map.entity.interned, uuid)
        guard let then = try rewind(now, id, map, from: head, to: position, view) else { continue }
        let object = ScannedObject(uuid: uuid, values: then, rowKey: noRow, isInOrder: false)
        if decide(object) == .take { take(uuid, then) }
      }
      let decoded = DecodedValues(map.defaults)
      func meet(
        _ uuid: UniqueID, _ stored: UnsafeRawBufferPointer, _ rowKey: UnsafeRawBufferPointer
      ) throws(StorageError) -> Bool {
        let record = try objects.reader(of: stored, uuid, map)
        if !tested.isEmpty { try objects.read(tested, of: record, uuid, into: &decoded.values, map, schema, view) }
        switch decide(ScannedObject(uuid: uuid, values: decoded.values, rowKey: rowKey, isInOrder: true)) {
        case .pass: return true
        case .take:
          if let taken {
            if !taken.isEmpty { try objects.read(taken, of: record, uuid, into: &decoded.values, map, schema, view) }
            take(uuid, decoded.values)
          } else {
            take(uuid, try objects.values(of: record, uuid, map, schema, view))
          }
          return true
        case .end: return false
        }
      }
      let reader = objects.reader(view)
      func isSeen(_ uuid: UniqueID) -> Bool { !isHidden(uuid) && (changed.isEmpty || !changed.contains(uuid)) }
      func meetRow(_ uuid: UniqueID, _ rowKey: UnsafeRawBufferPointer) throws(StorageError) -> Bool {
        guard isSeen(uuid) else { return true }
        if reading.isNothing {
          switch decide(ScannedObject(uuid: uuid, values: decoded.values, rowKey: rowKey, isInOrder: true)) {
          case .pass: break
          case .take: take(uuid, decoded.values)
          case .end: return false
          }
          return true
        }
        let goesOn = try objects.visitStored(of: uuid, map, reader) { (stored) throws(StorageError) in
          try meet(uuid, stored, rowKey)
        }
        return goesOn ?? true
      }
      switch path {
      case .all:
        try objects.scanStored(map.number, view) { (key, stored) throws(StorageError) in
          if !isSeen(key.uuid) { return true }
          return try meet(key.uuid, stored, noRow)
        }
      case .born(let range, isAscending: false):
        try objects.scanStoredBack(map.number, from: range.upperBound, view) { (key, stored) throws(StorageError) in
          if key.uuid < range.lowerBound { return false }
          if !isSeen(key.uuid) { return true }
          return try meet(key.uuid, stored, noRow)
        }
      case .born(let range, isAscending: true):
        try objects.scanStored(map.number, from: range.lowerBound, view) { (key, stored) throws(StorageError) in
          if key.uuid > range.upperBound { return false }
          if !isSeen(key.uuid) { return true }
          return try meet(key.uuid, stored, noRow)
        }
      case .objects(let uuids):
        for uuid in uuids where isSeen(uuid) {
          let goesOn = try objects.visitStored(of: uuid, map, reader) { (stored) throws(StorageError) in
            try meet(uuid, stored, noRow)
          }
          if goesOn == false { return }
        }
      case .rows(let slot, let ranges, let isAscending):
        try store.indexes.forEachRow(map, slot, ranges, isAscending, view) { (rowKey, uuid) throws(StorageError) in
          try meetRow(uuid, rowKey)
        }
      case .search(let slot, let words):
        try store.indexes.forEachObject(map, slot, with: words, view) { (uuid) throws(StorageError) in
          try meetRow(uuid, noRow)
        }
      }
    }
  }

  // MARK: Counts

  /// The number of objects of an entity. O(1).
  package func count(of map: EntityMap) throws(StoreError) -> Int {
    try store.read { (view, _) throws(StorageError) in try MetaTable(store.tables.meta).count(of: map.number, view) }
  }

  /// The number of objects of an entity at a position. O(changes since).
  package func count(of map: EntityMap, at position: Position) throws(StoreError) -> Int {
    let schema = store.map
    return try store.read { (view, head) throws(StorageError) in
      var count = try MetaTable(store.tables.meta).count(of: map.number, view)
      for uuid in try changedSince(position, head, map, view) {
        let now = try store.files.objects.values(of: uuid, map, schema, view)
        let then = try rewind(now, AnyObjectID(map.entity.interned, uuid), map, from: head, to: position, view)
        count += (then == nil ? 0 : 1) - (now == nil ? 0 : 1)
      }
      return count
    }
  }
}
