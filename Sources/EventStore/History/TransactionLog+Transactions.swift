import RepriseLMDB
import RepriseLog
import RepriseObjectModel

extension TransactionLog {
  /// Transactions of the log after a position, oldest first.
  ///
  /// Page through a log with the position of the last one, up to a head read before; ``feed(after:matching:)`` goes on
  /// with what is saved later. To go on after a relaunch, keep a ``LogToken``, not a position. Costs the transactions
  /// up to the last one returned, those that do not match included; the values of what does not match are not decoded.
  ///
  /// - Parameters:
  ///   - limit: The most to return.
  /// - Returns: Fewer than `limit` only if the log has no more that match.
  /// - Throws: ``StoreError``: the store is closed, or the log is damaged; `truncated` if a transaction after the
  ///   position was dropped by ``retain(_:progress:)``; `otherLog` if the position is beyond the head.
  public func transactions(
    after position: Position = 0, limit: Int = 100, matching filter: TransactionFilter = TransactionFilter()
  ) throws -> [LoggedTransaction] {
    var found: [LoggedTransaction] = []
    var position = position
    try requireReached(position)
    while found.count < limit {
      let page = try page(after: position, limit: limit - found.count, filter)
      found += page.transactions
      if page.isAtHead { break }
      position = page.upTo
    }
    return found
  }

  /// Transactions of the log after the one that a token names, oldest first; otherwise like
  /// ``transactions(after:limit:matching:)-(Position,_,_)``.
  ///
  /// - Throws: Also ``StoreError/otherLog(path:token:head:)`` if the log does not have that transaction.
  public func transactions(
    after token: LogToken, limit: Int = 100, matching filter: TransactionFilter = TransactionFilter()
  ) throws -> [LoggedTransaction] {
    try require(token)
    return try transactions(after: token.position, limit: limit, matching: filter)
  }

  /// The transaction at a position, as ``RootContext`` returns it from a save: what the save did, with all consequences
  /// and after merging. `nil` beyond the head, and at 0.
  ///
  /// - Throws: ``StoreError``: the store is closed, or the log is damaged; `truncated` if it was dropped.
  public func transaction(at position: Position) throws -> LoggedTransaction? {
    guard position > 0 else { return nil }
    return try store.read { (view, head) throws(StorageError) in
      if position > head { return nil }
      try requireTransaction(position, view)
      return try reader(TransactionFilter()).transaction(at: position, store.files.log.reader(view))
    }
  }

  /// Throws if a position is beyond the head. The store was restored from an older backup, or the position is of
  /// another store.
  package func requireReached(_ position: Position) throws(StoreError) {
    if position > head, position > (try store.refreshedHead()) {
      throw .otherLog(path: store.path, token: position, head: head)
    }
  }

  /// Throws unless the state at a position, and all transactions after it, can be read.
  package func requireReadable(_ position: Position) throws(StoreError) {
    try store.read { (view, _) throws(StorageError) in try requireReadable(position, view) }
  }

  func requireReadable(_ position: Position, _ view: View) throws(StorageError) {
    let first = try MetaTable(store.tables.meta).firstPosition(view)
    if position >= first - 1 { return }
    throw store.tables.log.dropped(position.number, first: first.number)
  }

  /// Throws if a transaction was dropped, also if it lies there still, to be removed.
  func requireTransaction(_ position: Position, _ view: View) throws(StorageError) {
    let first = try MetaTable(store.tables.meta).firstPosition(view)
    if position >= first { return }
    throw store.tables.log.dropped(position.number, first: first.number)
  }

  /// The position of the first transaction in the log: 1, unless ``retain(_:progress:)`` has dropped some. Contexts at
  /// this position, or at the one before, and all later ones can be had.
  ///
  /// - Throws: ``StoreError``: the store is closed, or where the log begins is damaged.
  public var firstPosition: Position {
    get throws { try readFirstPosition() }
  }

  /// Whether retention has dropped any transaction.
  package func hasDroppedTransactions() throws(StoreError) -> Bool { try readFirstPosition() > 1 }

  private func readFirstPosition() throws(StoreError) -> Position {
    try store.read { (view, _) throws(StorageError) in try MetaTable(store.tables.meta).firstPosition(view) }
  }

  /// Transactions that match, the last position that was looked at, and whether that is the head. Looks at so few that
  /// the read transaction is short.
  func page(
    after position: Position, limit: Int, _ filter: TransactionFilter
  ) throws(StoreError) -> (transactions: [LoggedTransaction], upTo: Position, isAtHead: Bool) {
    try store.read { (view, head) throws(StorageError) in
      var found: [LoggedTransaction] = []
      var position = position
      try requireReadable(position, view)
      let last = min(head, max(position, min(position, head) + 256))
      let reader = reader(filter)
      let frames = store.files.log.reader(view)
      while position < last, found.count < limit {
        position = position + 1
        if let transaction = try reader.transaction(at: position, frames) { found.append(transaction) }
      }
      return (found, position, position >= head)
    }
  }

  /// The position of the last transaction saved at a time or before, 0 if there is none: the store at that position is
  /// the store at that time.
  ///
  /// Uses the times at which transactions were saved, not the dates that an import gave them. A time that is not before
  /// the present gives the head. The clocks of the machines that saved may have been wrong:
  ///
  /// - If a clock was ahead and was then set back, its transactions count as saved right after the one before. So the
  ///   result includes every transaction that was saved before the time. It may include some that were saved later, up
  ///   to the next one by a right clock.
  /// - A clock was ahead if a later transaction, or the present, has an earlier time. If neither has, nothing shows the
  ///   error, and the transaction counts as saved at its own time.
  /// - If a clock was behind and was then set forward, its transactions count as saved right after the one before. For
  ///   example, a device that begins in 1970 until it has asked for the time does not hide the past.
  /// - If a clock may have been behind or ahead, it counts as ahead. If it was set back by less than ten seconds, the
  ///   times after it are too late by as much.
  ///
  /// The file format describes the exact rule. Costs O(log n), and O(log n) for each time that a clock was set back.
  ///
  /// - Parameter microseconds: Since 1970-01-01 00:00:00 UTC.
  /// - Throws: ``StoreError``: the store is closed, or the log is damaged; `truncated` if all transactions that the
  ///   log still has are later.
  public func position(atMicroseconds microseconds: Int64) throws -> Position {
    try store.read { (view, head) throws(StorageError) in
      let now = store.wallClock()
      if microseconds >= now { return head }
      let first = try MetaTable(store.tables.meta).firstPosition(view)
      if first <= head,
        let found = try times(in: first...head, now: now, view).lastPosition(upTo: microseconds, view)
      {
        return found
      }
      // Whether that is late enough for the state before the floor, only the dropped transactions said.
      if first > 1 { throw store.tables.log.dropped(first.number - 1, first: first.number) }
      return 0
    }
  }

  /// The times of the transactions that the log has.
  func times(in positions: ClosedRange<Position>, now: Int64, _ view: View) throws(StorageError) -> LogTimes {
    let steps = try MetaTable(store.tables.meta).clockSteps(from: positions.lowerBound + 1, view)
    return try LogTimes(of: store.files.log, positions, steps, now: now, view)
  }

  func reader(_ filter: TransactionFilter) -> TransactionReader {
    TransactionReader(store.logID, store.files.log, MetaTable(store.tables.meta), store.map, filter)
  }

  // MARK: One object

  /// The transactions that changed an object, the latest first, each with the change to this object alone. Values are
  /// whole, also those of long texts. A deleted object has a history as well: its last values are in the first change.
  /// The history of an object that a migration moved to its entity goes on before that, with the names of the time.
  /// What came into its to-many relationships, and what left them, are changes of other objects, and have a history of
  /// their own: `ObjectContext.history(of:_:after:upTo:limit:)`.
  ///
  /// Follows the object's versions in the log: costs one transaction for each, whatever lies between them. Ends where
  /// the log begins, if ``retain(_:progress:)`` has dropped what was before.
  ///
  /// - Parameters:
  ///   - property: Only changes of this property; its name in the store, or one that it had. Those from before a
  ///     conversion are among them, with the values of the old type.
  ///   - position: The last position of interest; `nil` is the head.
  ///   - limit: The most to return; `nil` is all.
  /// - Returns: Nothing for an ID that was never saved.
  /// - Throws: ``LookupError/unknownEntity(_:)`` for an object of a model that the store was not opened with;
  ///   ``StoreError``: the store is closed, or the log is damaged; `otherLog` if `position` is beyond the head.
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

  /// The history of an object in one entity. Returns the last version that was looked at; `nil` if there is none, or if
  /// `body` wants no more.
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

  /// What an object was in another entity, if that was deleted as this was inserted: a migration moved it. O(log n) for
  /// each entity.
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

  /// The name under which transactions tell of a property: it may be called otherwise in the models, or have been.
  package func name(inLog name: String, of map: EntityMap) -> String {
    store.map.stored.entity(number: map.number)?.lastName(ofWhatWasNamed: name) ?? name
  }

  func slot(inLog name: String, of map: EntityMap) -> Int? {
    store.map.stored.entity(number: map.number)?.property(named: name).flatMap { map.slot($0.number) }
  }
}
