import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// Reads objects of a store, at its head and at positions before it.
@usableFromInline package struct ObjectReader: Sendable {
  @usableFromInline package let store: Store

  @inlinable package init(_ store: Store) { self.store = store }
}

extension Store {
  @inlinable package var objects: ObjectReader { ObjectReader(self) }
}

extension ObjectReader {
  /// The values of an object at the position of a live context. `nil` if it does not exist there. O(log n), and the
  /// changes of this object since.
  package func values(
    of uuid: UniqueID, _ map: EntityMap, at position: Position
  ) throws(StoreError) -> ContiguousArray<PropertyValue>? {
    if store.isEmptyYet { return nil }
    return try store.read { (view, head) throws(StorageError) in
      try values(of: uuid, map, at: position, head, view.readerOfOne(store.tables.objects))
    }
  }

  /// The values of one of many objects at the position of a live context, in a transaction at `head`.
  func values(
    of uuid: UniqueID, _ map: EntityMap, at position: Position, _ head: Position, _ reader: TableReader
  ) throws(StorageError) -> ContiguousArray<PropertyValue>? {
    guard position < head else { return try store.files.objects.values(of: uuid, map, store.map, reader) }
    let (id, view) = (AnyObjectID(map.entity.interned, uuid), reader.view)
    let found = try store.files.objects.values(of: uuid, map, changedAfter: position, store.map, reader)
    var values = found?.values
    if found == nil || found?.changed != nil {
      values = try rolledBack(values, id, map, from: head, to: position, view, found?.changed)
    }
    guard let converted = try converted(map, at: position, view) else { return values }
    return try restored(values, converted, of: id, at: position, view)
  }

  /// Whether an object exists, or existed before its deletion. O(log n).
  package func hasRecord(of uuid: UniqueID, _ map: EntityMap) throws(StoreError) -> Bool {
    if store.isEmptyYet { return false }
    return try store.read { (view, _) throws(StorageError) in
      if try store.files.objects.has(ObjectKey(entity: map.number, uuid: uuid), view) { return true }
      return try store.files.objects.has(ObjectKey(tombstoneOf: map.number, uuid: uuid), view)
    }
  }

  /// Reverts the changes of an object after a position.
  func rewind(
    _ values: ContiguousArray<PropertyValue>?, _ id: AnyObjectID, _ map: EntityMap, from head: Position,
    to position: Position, _ view: View
  ) throws(StorageError) -> ContiguousArray<PropertyValue>? {
    let values = try rolledBack(values, id, map, from: head, to: position, view)
    guard let converted = try converted(map, at: position, view) else { return values }
    return try restored(values, converted, of: id, at: position, view)
  }

  /// As ``rewind(_:_:_:from:to:_:)``, but without the values of attributes that were converted since.
  ///
  /// - Parameter header: The head of the object's record, if it is known.
  func rolledBack(
    _ values: ContiguousArray<PropertyValue>?, _ id: AnyObjectID, _ map: EntityMap, from head: Position,
    to position: Position, _ view: View, _ header: RecordHeader? = nil
  ) throws(StorageError) -> ContiguousArray<PropertyValue>? {
    guard position < head else { return values }
    let (versions, spilled) = store.window.versions(of: id, after: position, upTo: head)
    let values = try store.files.log.rolledBack(versions, from: values, of: id.uuid, map, store.map)
    return spilled > position ? try past.rewind(values, id, map, from: spilled, to: position, view, header) : values
  }

  /// The attributes of an entity that were converted after a position, if any may have been.
  func converted(_ map: EntityMap, at position: Position, _ view: View) throws(StorageError) -> ConvertedAttributes? {
    // Every conversion ended before the store was opened.
    position < store.window.start ? try store.conversions.attributes(of: map, past, view) : nil
  }

  /// Values at an earlier version, with the converted values of attributes that were converted since.
  func restored(
    _ values: ContiguousArray<PropertyValue>?, _ converted: ConvertedAttributes, of id: AnyObjectID,
    at position: Position, _ view: View
  ) throws(StorageError) -> ContiguousArray<PropertyValue>? {
    guard var values else { return nil }
    try converted.restore(&values, of: id, at: position, past, view)
    return values
  }

  var past: PastReader { PastReader(log: store.files.log, objects: store.files.objects, map: store.map) }

  /// The objects of an entity that changed after a position.
  func changedSince(
    _ position: Position, _ head: Position, _ map: EntityMap, _ view: View
  ) throws(StorageError) -> Set<UniqueID> {
    guard position < head else { return [] }
    var uuids: Set<UniqueID> = []
    let (objects, spilled) = store.window.changedObjects(after: position, upTo: head)
    for id in objects where id.name == map.entity.interned { uuids.insert(id.uuid) }
    try past.forEachChange(after: position, upTo: spilled, view) { id in
      if id.name == map.entity.interned { uuids.insert(id.uuid) }
    }
    return uuids
  }

  /// The objects of an entity that changed after a position. Costs the changes since.
  package func changed(_ map: EntityMap, after position: Position) throws(StoreError) -> Set<UniqueID> {
    try store.read { (view, head) throws(StorageError) in try changedSince(position, head, map, view) }
  }

  /// The objects whose to-one relationship in `slot` referred to `target` at a position, ascending. Costs their number,
  /// and the changes since.
  package func sources(
    _ map: EntityMap, slot: Int, target: UniqueID, at position: Position
  ) throws(StoreError) -> [UniqueID] {
    guard !store.isEmptyYet, let number = map.indexes[slot] else { return [] }
    let index = PlainIndex(number: number, table: store.tables.indexes)
    let schema = store.map
    return try store.read { (view, head) throws(StorageError) in
      var sources = try index.members(of: target, in: view)
      let changed = try changedSince(position, head, map, view)
      guard !changed.isEmpty else { return sources }
      sources.removeAll { changed.contains($0) }
      for uuid in changed {
        let now = try store.files.objects.values(of: uuid, map, schema, view)
        let then = try rewind(now, AnyObjectID(map.entity.interned, uuid), map, from: head, to: position, view)
        if then?[slot].reference?.uuid == target { sources.append(uuid) }
      }
      return sources.sorted()
    }
  }

  /// The objects that changed after `position`, up to `head`, once for each change. `nil` if the changes are too many
  /// to keep in memory, so that any object may have changed.
  package func changed(after position: Position, upTo head: Position) throws(StoreError) -> [AnyObjectID]? {
    if store.window.head < head { _ = try store.refreshedHead() }
    let (objects, spilled) = store.window.changedObjects(after: position, upTo: head)
    return spilled > position ? nil : objects
  }
}
