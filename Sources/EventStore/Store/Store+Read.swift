import RepriseLMDB
import RepriseObjectModel

extension Store {
  /// Runs `body` in a read transaction at the last commit of any process, with the version window extended to it.
  ///
  /// Keep it short: pages that the transaction sees cannot be reused while it runs.
  package func read<Result>(
    _ body: (borrowing View, _ head: Position) throws(StorageError) -> Result
  ) throws(StoreError) -> Result {
    if isClosed { throw .closed(path: path) }
    if let refusal = map.refusal { throw refusal }
    do throws(StorageError) {
      while true {
        if let result = try serve(environment.beginRead(), body) { return result }
      }
    } catch {
      throw isReady ? map.refusal ?? StoreError(error) : notReady
    }
  }

  /// Runs `body` in the transaction; `nil` if it is older than the window's head. A function of its own, because a
  /// transaction bound in the caller's loop would be put on the heap.
  @inline(__always)
  private func serve<Result>(
    _ transaction: borrowing ReadTransaction, _ body: (borrowing View, Position) throws(StorageError) -> Result
  ) throws(StorageError) -> Result? {
    switch window.standing(of: transaction.id) {
    case .current(let head): return try body(transaction.view, head)
    case .stale: return nil
    case .ahead(let known): return try body(transaction.view, catchUp(after: known, transaction.view, transaction.id))
    }
  }

  /// Extends the window from the log: another process saved, or a save of this one is not published yet.
  private func catchUp(after known: Position, _ view: borrowing View, _ transactionID: Int) throws(StorageError)
    -> Position
  {
    let head = try log.lastPosition(view)
    guard head > known else {
      // Indexes are sorted anew without a word in the log.
      try requireOwnLocaleOrders(map, view)
      window.extend(with: [], transactionID: transactionID)
      return head
    }
    try learnNewSchema(view)
    let map = self.map
    try requireOwnLocaleOrders(map, view)
    // Bounds the memory used to about twice the window's budget.
    var transactions: [VersionWindow.Transaction] = []
    var size = 0
    var spilled: Position = 0
    var next = known + 1
    while next <= head {
      let position = next
      let transaction: VersionWindow.Transaction
      do throws(StorageError) {
        transaction = try log.windowTransaction(position, view, map)
      } catch {
        // Nobody here needs what another process dropped: who does would have held it.
        guard case .rowsDropped(_, _, let first, _) = error else { throw error }
        transactions.removeAll()
        (size, spilled, next) = (0, Position(first) - 1, Position(first))
        continue
      }
      next = position + 1
      transactions.append(transaction)
      size += transaction.size
      guard size > 2 * window.budget else { continue }
      transactions.removeAll()
      (size, spilled) = (0, position)
    }
    // The other process may have a clock that is ahead.
    UniqueID.note(try MetaTable(tables.meta).head(view).greatestID)
    window.extend(with: transactions, spilledUpTo: spilled, transactionID: transactionID)
    headMoved()
    return head
  }

  /// A process with newer models may have extended the schema.
  private func learnNewSchema(_ view: borrowing View) throws(StorageError) {
    let map = self.map
    guard let stored = try MetaTable(tables.meta).schema(otherThan: map.revision, view),
      stored.revision > map.revision
    else { return }
    learn(SchemaMap(map.schema, stored))
    // Whoever reads gives the refusal itself.
    if self.map.refusal != nil {
      throw .foreignContents(reason: "a newer program changed its schema", StorageError.Site(.decode, path))
    }
  }

  /// The head of the log, including the commits of other processes.
  package func refreshedHead() throws(StoreError) -> Position {
    if isReady { journal.startOverdueThread() }
    return try read { (_, head) in head }
  }

  /// The values of an object at the position of a live context; `nil` if it does not exist there. O(log n), and the
  /// changes of this object since.
  package func values(
    of uuid: UniqueID, _ map: EntityMap, at position: Position
  ) throws(StoreError) -> ContiguousArray<PropertyValue>? {
    if isEmptyYet { return nil }
    let schema = self.map
    return try read { (view, head) throws(StorageError) in
      let values = try objects.values(of: uuid, map, schema, view)
      guard position < head else { return values }
      return try rewind(values, AnyObjectID(map.entity.interned, uuid), map, from: head, to: position, view)
    }
  }

  /// Whether an object exists, or existed before its deletion. O(log n).
  package func hasRecord(of uuid: UniqueID, _ map: EntityMap) throws(StoreError) -> Bool {
    if isEmptyYet { return false }
    return try read { (view, _) throws(StorageError) in
      if try objects.has(ObjectKey(entity: map.number, uuid: uuid), view) { return true }
      return try objects.has(ObjectKey(tombstoneOf: map.number, uuid: uuid), view)
    }
  }

  /// Reverts the changes of an object after a position.
  func rewind(
    _ values: ContiguousArray<PropertyValue>?, _ id: AnyObjectID, _ map: EntityMap, from head: Position,
    to position: Position, _ view: View
  ) throws(StorageError) -> ContiguousArray<PropertyValue>? {
    let values = try takenBack(values, id, map, from: head, to: position, view)
    guard let converted = try converted(map, at: position, view) else { return values }
    return try restored(values, converted, of: id, at: position, view)
  }

  /// As ``rewind(_:_:_:from:to:_:)``, but what was converted since is not there.
  func takenBack(
    _ values: ContiguousArray<PropertyValue>?, _ id: AnyObjectID, _ map: EntityMap, from head: Position,
    to position: Position, _ view: View
  ) throws(StorageError) -> ContiguousArray<PropertyValue>? {
    guard position < head else { return values }
    var values = values
    let (versions, spilled) = window.versions(of: id, after: position, upTo: head)
    if let last = versions.last {
      var then = SlotValues(values, of: id.uuid, map, self.map)
      for version in versions {
        try log.applying(version.position) { () throws(ReplayError) in try version.takeBack(from: &then) }
      }
      values = try log.applying(last.position) { () throws(ReplayError) in try then.settled() }
    }
    return spilled > position ? try past.rewind(values, id, map, from: spilled, to: position, view) : values
  }

  /// The attributes of an entity that were converted after a position, if any may have been.
  func converted(_ map: EntityMap, at position: Position, _ view: View) throws(StorageError) -> ConvertedAttributes? {
    // Whatever was converted had been when the store was opened.
    position < window.start ? try conversions.attributes(of: map, past, view) : nil
  }

  /// Values that were taken back, with what is converted now of what was converted since.
  func restored(
    _ values: ContiguousArray<PropertyValue>?, _ converted: ConvertedAttributes, of id: AnyObjectID,
    at position: Position, _ view: View
  ) throws(StorageError) -> ContiguousArray<PropertyValue>? {
    guard var values else { return nil }
    try converted.restore(&values, of: id, at: position, past, view)
    return values
  }

  var past: PastReader { PastReader(log: log, objects: objects, map: map) }

  /// The objects of an entity that changed after a position.
  func changedSince(
    _ position: Position, _ head: Position, _ map: EntityMap, _ view: View
  ) throws(StorageError) -> Set<UniqueID> {
    guard position < head else { return [] }
    var uuids: Set<UniqueID> = []
    let (objects, spilled) = window.changedObjects(after: position, upTo: head)
    for id in objects where id.name == map.entity.interned { uuids.insert(id.uuid) }
    try past.forEachChange(after: position, upTo: spilled, view) { id in
      if id.name == map.entity.interned { uuids.insert(id.uuid) }
    }
    return uuids
  }

  /// The objects of an entity that changed after a position. Costs the changes since.
  package func objectsChanged(_ map: EntityMap, after position: Position) throws(StoreError) -> Set<UniqueID> {
    try read { (view, head) throws(StorageError) in try changedSince(position, head, map, view) }
  }

  /// The objects whose to-one relationship in `slot` referred to `target` at a position, ascending. Costs their number,
  /// and the changes since.
  package func sources(
    _ map: EntityMap, slot: Int, target: UniqueID, at position: Position
  ) throws(StoreError) -> [UniqueID] {
    guard !isEmptyYet, let number = map.indexes[slot] else { return [] }
    let index = PlainIndex(number: number, table: tables.indexes)
    let schema = self.map
    return try read { (view, head) throws(StorageError) in
      var sources = try index.members(of: target, in: view)
      let changed = try changedSince(position, head, map, view)
      guard !changed.isEmpty else { return sources }
      sources.removeAll { changed.contains($0) }
      for uuid in changed {
        let now = try objects.values(of: uuid, map, schema, view)
        let then = try rewind(now, AnyObjectID(map.entity.interned, uuid), map, from: head, to: position, view)
        if then?[slot].reference?.uuid == target { sources.append(uuid) }
      }
      return sources.sorted()
    }
  }

  /// The objects that changed after one position, up to another that the window reaches, once for each change; `nil` if
  /// there are too many changes to keep in memory, so that any object may have changed.
  package func changedObjects(after position: Position, upTo head: Position) throws(StoreError) -> [AnyObjectID]? {
    if window.head < head { _ = try refreshedHead() }
    let (objects, spilled) = window.changedObjects(after: position, upTo: head)
    return spilled > position ? nil : objects
  }

  /// The hash of the transaction at a position, which also proves all before it; zero for position 0, and `nil` if the
  /// log has no such transaction, or has it no more.
  package func hash(at position: Position) throws(StoreError) -> Digest? {
    if position == 0 { return .zero }
    return try read { (view, head) throws(StorageError) in
      guard position <= head else { return nil }
      if let floor = try MetaTable(tables.meta).floor(view), position < floor.position {
        return position == floor.position - 1 ? floor.record.hash : nil
      }
      return try log.withFrame(position, view) { (frame) throws(MalformedBytes) in frame.hash }
    }
  }
}
