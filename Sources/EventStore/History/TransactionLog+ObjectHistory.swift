import RepriseLMDB
import RepriseLog
import RepriseObjectModel

extension TransactionLog {
  /// The transactions that changed an object, the latest first, each with only its change of this object. Values are
  /// whole, including long texts.
  ///
  /// A deleted object has a history, too: the deletion, which comes first, has its last values. If a migration moved
  /// the object to its entity, the history includes the changes before the move, with the names of that time. A new
  /// member of a to-many relationship is a change of the member. `ObjectContext.history(of:_:after:upTo:limit:)`
  /// returns such changes.
  ///
  /// The call reads only the transactions that changed the object, and not the transactions in between. The history
  /// ends at the first position of the log, if ``retain(_:progress:)`` has dropped the beginning.
  ///
  /// - Parameters:
  ///   - object: The ID of the object.
  ///   - property: Only changes of this property. Pass its name in the store, or a former one. Changes from before a
  ///     conversion are included, with values of the former type.
  ///   - position: The last position of interest; `nil` for the head.
  ///   - limit: The most transactions to return; `nil` for all.
  /// - Returns: An empty array for an ID that was never saved.
  /// - Throws: ``LookupError/unknownEntity(_:)`` for an object of a model that the store was not opened with.
  ///   ``StoreError`` if the store is closed or the log is damaged, `otherLog` if `position` is beyond the head, and
  ///   `truncated` if ``retain(_:progress:)`` dropped the state at `position`.
  public func history(
    of object: AnyObjectID, property: String? = nil, upTo position: Position? = nil, limit: Int? = nil
  ) throws -> [LoggedTransaction] {
    if limit ?? 1 <= 0 { return [] }
    var found: [LoggedTransaction] = []
    try forEachTransaction(of: object, property: property, upTo: position) {
      (transaction: consuming LoggedTransaction) in
      found.append(transaction)
      return found.count < limit ?? .max
    }
    return found
  }

  /// The transactions before the transaction of a token that changed an object, the latest first. Otherwise, the call
  /// works like ``history(of:property:upTo:limit:)``.
  ///
  /// Use it for the next page of a history, with the token of the last transaction of the page before:
  ///
  /// ```swift
  /// let next = try store.log.history(of: task.id.any, before: page[page.count - 1].token, limit: 20)
  /// ```
  ///
  /// - Throws: The same errors, and ``StoreError/otherLog(path:token:head:)`` if the log does not have the token's
  ///   transaction.
  public func history(
    of object: AnyObjectID, property: String? = nil, before token: LogToken, limit: Int? = nil
  ) throws -> [LoggedTransaction] {
    guard let position = try position(before: token) else { return [] }
    return try history(of: object, property: property, upTo: position, limit: limit)
  }

  /// Calls `body` with the transactions of ``history(of:property:upTo:limit:)`` as long as it returns `true`.
  package func forEachTransaction(
    of object: AnyObjectID, property: String? = nil, upTo position: Position?,
    _ body: (consuming LoggedTransaction) -> Bool
  ) throws {
    guard let map = store.map.map(object.name) else { throw LookupError.unknownEntity(object.entity) }
    if let position { try requireReached(position) }
    try store.read { (view, head) throws(StorageError) in
      var (next, nextMap): (AnyObjectID, EntityMap) = (object, map)
      var upper = min(head, position ?? head)
      let floor = try MetaTable(store.tables.meta).firstPosition(view)
      if upper + 1 < floor { try requireReadable(upper, view) }
      while true {
        let first = try forEachTransaction(
          of: next, nextMap, property: property, upTo: upper, from: floor, view, body)
        guard let first, first.version == 1,
          let before = try predecessor(of: object.uuid, nextMap, insertedAt: first.position, view)
        else { return }
        (next, nextMap) = (before.id, before.map)
        upper = Position(first.position.number - 1)
      }
    }
  }

  /// The history of an object in one entity. Returns the last version that was looked at. `nil` if there is none, or if
  /// `body` returned false.
  private func forEachTransaction(
    of object: AnyObjectID, _ map: EntityMap, property: String?, upTo upper: Position, from lower: Position,
    _ view: View, _ body: (consuming LoggedTransaction) -> Bool
  ) throws(StorageError) -> VersionPlace? {
    let wanted = property.map { name(inLog: $0, of: map) }
    let reader = self.reader(TransactionFilter(objects: [object]))
    var first: VersionPlace?
    let past = store.objects.past
    var values = PastValues(past, object, map)
    let frames = store.files.log.reader(view)
    var place = try past.place(of: object, map, upTo: upper, frames)
    while let version = place, version.position >= lower {
      first = version
      var pointers: VersionPointers?
      if var transaction = try reader.transaction(at: version.position, frames, { pointers = $0.pointers }),
        wanted.map({ name in transaction.changes.contains { $0[name] != nil } }) ?? true
      {
        if transaction.hasSplices {
          let (before, after) = try values.around(version, frames)
          transaction = transaction.whole({ _ in (before, after) }, slot: { slot(inLog: $0, of: map) })
        }
        if !body(consume transaction) { return nil }
      }
      place = try past.place(before: version, of: object, pointers)
    }
    return first
  }

  /// The object in another entity that was deleted when this one was inserted, because a migration moved it. O(log n)
  /// for each entity.
  private func predecessor(
    of uuid: UniqueID, _ map: EntityMap, insertedAt position: Position, _ view: View
  ) throws(StorageError) -> (id: AnyObjectID, map: EntityMap)? {
    for entity in store.map.stored.entities where entity.number != map.number {
      guard let name = store.map.name(number: entity.number), let other = EntityMap(allOf: entity, named: name.string),
        let tombstone = try store.files.objects.bytes(of: uuid, other, isTombstone: true, view)
      else { continue }
      let end = try store.files.objects.parsing(uuid, other) { () throws(MalformedBytes) in
        try tombstone.lend { (bytes) throws(MalformedBytes) in try RecordReader(bytes).position }
      }
      if end == position { return (AnyObjectID(name, uuid), other) }
    }
    return nil
  }

  /// The name of a property in transactions. Models may have another one, and the store may have had others.
  package func name(inLog name: String, of map: EntityMap) -> String {
    store.map.stored.entity(number: map.number)?.lastName(ofWhatWasNamed: name) ?? name
  }

  func slot(inLog name: String, of map: EntityMap) -> Int? {
    store.map.stored.entity(number: map.number)?.property(named: name).flatMap { map.slot($0.number) }
  }
}
