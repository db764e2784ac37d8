import RepriseEventStore
import RepriseObjectModel
import RepriseQuery

extension ObjectContext {
  /// What each transaction changed in what a fetch finds: the objects that it added, removed and updated; the latest
  /// first, up to this context's position, uncommitted changes left out. Exact for conditions of all kinds: it is what
  /// contexts at the positions before and after would find.
  ///
  /// ```swift
  /// for change in try context.history(of: Fetch<Task> { $0.column.name == "Done" }, limit: 20) {
  ///   print(change.transaction.author ?? "somebody", "moved", change.added.count, "in,", change.removed.count, "out")
  /// }
  /// ```
  ///
  /// The order of the fetch plays no part. How many objects it found at any moment is what `count(_:)` finds now,
  /// without uncommitted changes, less what was added since, and with what was removed.
  ///
  /// Costs a look at each transaction of the log up to the last one returned, the test of each object that one touched,
  /// before and after, and a reading in the past where it is met first: name `earliest`, or go page by page, where the
  /// log is long. Holds the log from `earliest` on while it runs. Ends where the log begins, if
  /// `Store.retain(_:progress:)` has dropped what was before.
  ///
  /// - Parameters:
  ///   - fetch: Without limit and offset.
  ///   - earliest: Only transactions after this position.
  ///   - latest: The last transaction of interest; `nil` is the context's position. The one before the last that was
  ///     returned begins the next page.
  ///   - limit: The most to return; `nil` is all.
  /// - Throws: ``FetchError``: the fetch does not fit the models, it has a limit or an offset, or something cannot be
  ///   read; ``StoreError``: the store is closed, or the log is damaged, `beforeFloor` if `latest` was dropped.
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

  /// What came into a to-many relationship of an object, what left it, and which members changed themselves: the
  /// history of the fetch that finds its members, with its costs. Also of an object that was deleted.
  ///
  /// - Throws: ``FetchError/notToMany(term:entity:property:)`` for a relationship of another object; otherwise like
  ///   ``history(of:after:upTo:limit:)``.
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
    let upper = min(position, latest ?? position)
    let lower = try pinnedFloor(notBefore: earliest)
    defer { store.unpin(lower) }
    if upper < lower { try store.requireReadable(upper) }
    let history = FetchHistory(compiled, map, store, upTo: upper)
    try history.forEachChange(after: lower) { change in
      body(
        FetchChange(
          transaction: change.transaction, added: Model.ID.ids(change.added), removed: Model.ID.ids(change.removed),
          updated: Model.ID.ids(change.updated)))
    }
  }

  /// Pins the first position that can be read.
  private func pinnedFloor(notBefore earliest: Position) throws -> Position {
    while true {
      let lowest = try max(earliest, store.floor - 1)
      let pinned = store.pin(at: lowest)
      // Once it is pinned, the floor does not pass it; it may have before.
      do {
        try store.requireReadable(lowest)
        return pinned
      } catch {
        store.unpin(pinned)
        guard case .beforeFloor = error else { throw error }
      }
    }
  }

  /// Finds the objects at the other end of a relationship; `nil` for a to-one that the object stores, and for what is
  /// no relationship.
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
