import RepriseEventStore
import RepriseObjectModel
import RepriseQuery

extension ObjectContext {
  /// Returns the changes of each transaction to the results of a fetch: objects added, removed and updated.
  ///
  /// The latest transaction is first. The history ends at this context's position and excludes uncommitted changes. The
  /// history is exact for all kinds of conditions, because it compares the results before and after each transaction.
  ///
  /// ```swift
  /// for change in try context.history(of: Fetch<Task> { $0.column.name == "Done" }, limit: 20) {
  ///   print(change.transaction.author ?? "somebody", "moved", change.added.count, "in,", change.removed.count, "out")
  /// }
  /// ```
  ///
  /// The order of the fetch has no effect. To get the number of results at an earlier moment, start with `count(_:)`,
  /// subtract the objects added since, and add the removed ones. Leave out uncommitted changes in the count.
  ///
  /// Reads each transaction of the log down to the last one returned. Each changed object is tested before and after
  /// its transaction, and reconstructed once. In a long log, pass `earliest`, or read page by page:
  /// ``history(of:before:limit:)`` returns the next page. While it runs, the log from `earliest` on cannot be deleted.
  /// If `TransactionLog.retain(_:progress:)` deleted the beginning of the log, the history ends there.
  ///
  /// - Parameters:
  ///   - fetch: A fetch without limit and offset.
  ///   - earliest: Only transactions after this position are returned.
  ///   - latest: The position of the newest transaction to return; `nil` is the context's position.
  ///   - limit: The largest number of transactions to return; `nil` is all.
  /// - Throws: ``FetchError`` if the fetch does not fit the models, has a limit or an offset, or something cannot be
  ///   read. ``StoreError`` if the store is closed or the log is damaged, `truncated` if `latest` was deleted, and
  ///   `otherLog` if a position is beyond the head. The last case occurs after the store was restored from an older
  ///   backup. To detect a restored store in all cases, keep a ``LogToken`` and pass it instead of `earliest`.
  public func history<Model: PersistentModel>(
    of fetch: Fetch<Model>, after earliest: Position = 0, upTo latest: Position? = nil, limit: Int? = nil
  ) throws -> [FetchChange<Model>] {
    var found: [FetchChange<Model>] = []
    try forEachChange(of: fetch, after: earliest, upTo: latest, limit) { change in
      found.append(change)
      return found.count < limit ?? .max
    }
    return found
  }

  /// Returns the changes to the results of a fetch after the transaction that a token names.
  ///
  /// Use it to continue after a relaunch, with the `token` of the last transaction that was handled. Otherwise like
  /// ``history(of:after:upTo:limit:)-(_,Position,_,_)``.
  ///
  /// - Throws: Also ``StoreError/otherLog(path:token:head:)`` if the log does not have that transaction.
  public func history<Model: PersistentModel>(
    of fetch: Fetch<Model>, after token: LogToken, upTo latest: Position? = nil, limit: Int? = nil
  ) throws -> [FetchChange<Model>] {
    try store.log.require(token)
    return try history(of: fetch, after: token.position, upTo: latest, limit: limit)
  }

  /// Returns the changes to the results of a fetch before the transaction that a token names, the latest first.
  ///
  /// Use it for the next page of a history, with the token of the last transaction of the page before. Otherwise like
  /// ``history(of:after:upTo:limit:)-(_,Position,_,_)``.
  ///
  /// - Throws: Also ``StoreError/otherLog(path:token:head:)`` if the log does not have that transaction.
  public func history<Model: PersistentModel>(
    of fetch: Fetch<Model>, before token: LogToken, limit: Int? = nil
  ) throws -> [FetchChange<Model>] {
    guard let latest = try store.log.position(before: token) else { return [] }
    return try history(of: fetch, upTo: latest, limit: limit)
  }

  /// Returns the history of a to-many relationship: members added, removed and changed by each transaction.
  ///
  /// The result is the history of the fetch that finds the members, at the same cost. A deleted object also has such a
  /// history.
  ///
  /// - Throws: ``FetchError/notToMany(term:entity:property:)`` for a relationship of another object; otherwise like
  ///   ``history(of:after:upTo:limit:)-(_,Position,_,_)``.
  public func history<Model: PersistentModel, Element: PersistentModel>(
    of object: Model, _ relationship: (Model.Fields) -> ToManyField<Model, Element>, after earliest: Position = 0,
    upTo latest: Position? = nil, limit: Int? = nil
  ) throws -> [FetchChange<Element>] {
    let path = relationship(Model.Fields(.root)).path
    guard path.names.count == 1, let name = path.names.first,
      let members: Fetch<Element> = membership(of: object, name)
    else {
      throw FetchError.notToMany(
        term: Term(path.names).description, entity: Model.entity.name, property: path.names.first ?? "")
    }
    return try history(of: members, after: earliest, upTo: latest, limit: limit)
  }

  /// Returns the history of a to-many relationship after the transaction that a token names.
  ///
  /// - Throws: Also ``StoreError/otherLog(path:token:head:)`` if the log does not have that transaction; otherwise like
  ///   ``history(of:_:after:upTo:limit:)-(_,_,Position,_,_)``.
  public func history<Model: PersistentModel, Element: PersistentModel>(
    of object: Model, _ relationship: (Model.Fields) -> ToManyField<Model, Element>, after token: LogToken,
    upTo latest: Position? = nil, limit: Int? = nil
  ) throws -> [FetchChange<Element>] {
    try store.log.require(token)
    return try history(of: object, relationship, after: token.position, upTo: latest, limit: limit)
  }

  /// Returns the history of a to-many relationship before the transaction that a token names, the latest first.
  /// Otherwise like ``history(of:_:after:upTo:limit:)-(_,_,Position,_,_)``.
  ///
  /// - Throws: Also ``StoreError/otherLog(path:token:head:)`` if the log does not have that transaction.
  public func history<Model: PersistentModel, Element: PersistentModel>(
    of object: Model, _ relationship: (Model.Fields) -> ToManyField<Model, Element>, before token: LogToken,
    limit: Int? = nil
  ) throws -> [FetchChange<Element>] {
    guard let latest = try store.log.position(before: token) else { return [] }
    return try history(of: object, relationship, upTo: latest, limit: limit)
  }

  /// The changes of a fetch that finds one object at most.
  func changes<Target: PersistentModel>(ofOnly fetch: Fetch<Target>, _ limit: Int?) throws -> [ValueChange<Target.ID>] {
    var found: [ValueChange<Target.ID>] = []
    try forEachChange(of: fetch, after: 0, upTo: nil, limit) { change in
      if !change.added.isEmpty || !change.removed.isEmpty {
        found.append(ValueChange(transaction: change.transaction, old: change.removed.first, new: change.added.first))
      }
      return found.count < limit ?? .max
    }
    return found
  }

  private func forEachChange<Model: PersistentModel>(
    of fetch: Fetch<Model>, after earliest: Position, upTo latest: Position?, _ limit: Int?,
    _ body: (FetchChange<Model>) -> Bool
  ) throws {
    let compiled = try CompiledFetch(fetch, schema: store.map.schema)
    if compiled.limit != nil || compiled.offset > 0 { throw FetchError.limitedHistory }
    guard let map = store.map.map(Model.entity.interned), limit ?? 1 > 0 else { return }
    try store.log.requireReached(max(earliest, latest ?? 0))
    let upper = min(position, latest ?? position)
    let lower = try pinnedFirstPosition(notBefore: earliest)
    defer { store.unpin(lower) }
    if upper < lower { try store.log.requireReadable(upper) }
    let history = FetchHistory(compiled, map, store, upTo: upper)
    try history.forEachChange(after: lower) { change in
      body(
        FetchChange(
          transaction: change.transaction, added: Model.ID.ids(change.added), removed: Model.ID.ids(change.removed),
          updated: Model.ID.ids(change.updated)))
    }
  }

  /// Pins the first position that can be read.
  private func pinnedFirstPosition(notBefore earliest: Position) throws -> Position {
    while true {
      let lowest = try max(earliest, store.log.firstPosition - 1)
      let pinned = store.pin(at: lowest)
      // Once the position is pinned, `retain` keeps it. `retain` may have dropped it before.
      do {
        try store.log.requireReadable(lowest)
        return pinned
      } catch {
        store.unpin(pinned)
        guard case .truncated = error else { throw error }
      }
    }
  }

  /// Finds the objects at the other end of a relationship. `nil` for a to-one that the object stores, and for any other
  /// property.
  func membership<Model: PersistentModel, Target: PersistentModel>(
    of object: Model, _ name: String
  ) -> Fetch<Target>? {
    let schema = store.map.schema
    guard let slot = Model.entity.slot(named: name), let end = schema.relationship(slot, of: Model.entity), !end.stores
    else { return nil }
    let owner = PropertyValue.reference(object.id.any)
    guard let far = end.far else {
      let inverse = end.target.properties[end.inverseSlot].name
      return Fetch { _ in Condition(steps: [.compare(Term([inverse]), .equal, owner)]) }
    }
    guard let back = schema.relationship(far.slot, of: end.target) else { return nil }
    let inverse = far.entity.properties[back.inverseSlot].name
    return Fetch { _ in Condition(steps: [.compare(Term([]), .equal, owner), .any([inverse])]) }
  }
}
