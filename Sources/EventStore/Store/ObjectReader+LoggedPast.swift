import RepriseLMDB
import RepriseLog
import RepriseObjectModel

// Objects at a position, once a walk over the log has found the objects that changed after it.

extension ObjectReader {
  /// The transactions that a walk reads in one snapshot. Pages that saves free are not reused meanwhile.
  private static let transactionsAtOnce = 65_536
  /// The transactions after which a walk asks whether it is cancelled.
  private static let transactionsUnasked = 1_024

  /// Whether the log must be read to find the objects that changed after a position.
  package func needsLog(after position: Position, upTo head: Position) -> Bool {
    store.window.hasSpilled(after: position, upTo: head)
  }

  /// Continues a walk up to a position. Costs up to three microseconds for each transaction.
  ///
  /// - Throws: ``StoreError/cancelled(path:)`` if the walk was cancelled. It can be continued.
  package func read(
    _ past: LoggedPast, upTo position: Position, unless isCancelled: () -> Bool
  ) throws(StoreError) {
    while past.end < position {
      if isCancelled() { throw .cancelled(path: store.path) }
      try store.read { (view, _) throws(StorageError) in
        let last = min(position, past.end + Self.transactionsAtOnce)
        while past.end < last, !isCancelled() {
          try past.read(store.files.log, upTo: min(last, past.end + Self.transactionsUnasked), view)
        }
      }
    }
  }

  /// The values of an object at the position of a walk. `nil` if it did not exist there. Costs a look-up at the head.
  package func values(
    of uuid: UniqueID, _ map: EntityMap, _ past: LoggedPast
  ) throws(StoreError) -> ContiguousArray<PropertyValue>? {
    try store.read { (view, head) throws(StorageError) in
      try values(of: uuid, map, past, head, view.readerOfOne(store.tables.objects))
    }
  }

  /// Calls `body` with objects and their values at the position of a walk. `nil` if they did not exist there.
  package func forEachValues(
    of uuids: some Sequence<UniqueID>, _ map: EntityMap, _ past: LoggedPast,
    _ body: (UniqueID, ContiguousArray<PropertyValue>?) -> Void
  ) throws(StoreError) {
    try store.read { (view, head) throws(StorageError) in
      let reader = store.files.objects.reader(view)
      for uuid in uuids { body(uuid, try values(of: uuid, map, past, head, reader)) }
    }
  }

  private func values(
    of uuid: UniqueID, _ map: EntityMap, _ past: LoggedPast, _ head: Position, _ reader: TableReader
  ) throws(StorageError) -> ContiguousArray<PropertyValue>? {
    let id = AnyObjectID(map.entity.interned, uuid)
    let view = reader.view
    var values = try store.files.objects.values(of: uuid, map, store.map, reader)
    if head > past.end { values = try rolledBack(values, id, map, from: head, to: past.end, view) }
    let found = try store.files.objects.parsing(uuid, map) { () throws(MalformedBytes) in
      try past.values(of: uuid, from: values, map, store.map)
    }
    switch found {
    case .values(let then): values = then
    case .incomplete: values = try rolledBack(values, id, map, from: past.end, to: past.position, view)
    }
    guard let converted = try converted(map, at: past.position, view) else { return values }
    return try restored(values, converted, of: id, at: past.position, view)
  }

  /// The number of objects of an entity at the position of a walk. O(changes that the walk has met).
  package func count(of map: EntityMap, _ past: LoggedPast) throws(StoreError) -> Int {
    try store.read { (view, head) throws(StorageError) in
      var count = try MetaTable(store.tables.meta).count(of: map.number, view) + past.balance
      for uuid in try changedSince(past.end, head, map, view) {
        let now = try store.files.objects.values(of: uuid, map, store.map, view)
        let id = AnyObjectID(map.entity.interned, uuid)
        let then = try rolledBack(now, id, map, from: head, to: past.end, view)
        count += (then == nil ? 0 : 1) - (now == nil ? 0 : 1)
      }
      return count
    }
  }
}
