import RepriseEventStore
import RepriseObjectModel
import RepriseQuery

extension EditingContext {
  /// Assigns to every object that matches a fetch, without making objects: SQL's `update … set … where`.
  ///
  /// ```swift
  /// try context.update(Fetch<Item> { $0.owner == ada.id }) { [$0.isSold.set(to: true), $0.price.increase(by: 5)] }
  /// ```
  ///
  /// It is as if each object were assigned to, in one undo step: uncommitted until the next save, with the old values,
  /// recorded in the draft, seen by live objects at once and by lists as one batch. An object that has the values
  /// already does not change. If the fetch has a limit, only the objects within it do.
  ///
  /// Costs the fetch, which decodes only the fields that it names, and memory for each changed property. A save takes
  /// 100,000 objects at most; see `BackgroundContext` for updates in several saves.
  ///
  /// - Parameter name: The name of the undo step.
  /// - Returns: How many objects changed.
  /// - Throws: ``FetchError`` or ``UpdateError``; then nothing has changed.
  @discardableResult
  public func update<Model: PersistentModel>(
    _ fetch: Fetch<Model>, name: String? = nil, _ assignments: (Model.Fields) -> [Assignment<Model>]
  ) throws -> Int {
    let update = try PlannedUpdate(fetch, assignments, in: self)
    var changes: [(object: AnyObjectID, change: ObjectChange)] = []
    var failure: UpdateError?
    try projection.forEachMatch(update.fetch, update.map, reading: update.slots) { id, values in
      guard failure == nil else { return }
      do throws(UpdateError) {
        if let change = try update.change(values, id) { changes.append((id, change)) }
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return applyAsOneStep(changes, name)
  }

  /// Assigns one property of every object that matches a fetch; otherwise like several.
  @discardableResult
  public func update<Model: PersistentModel>(
    _ fetch: Fetch<Model>, name: String? = nil, _ assignment: (Model.Fields) -> Assignment<Model>
  ) throws -> Int {
    try update(fetch, name: name) { [assignment($0)] }
  }

  /// Deletes every object that matches a fetch, without making objects, and carries out the delete rules as
  /// ``delete(_:)`` does. This is one undo step; live objects then read with their last values, and lists get one
  /// batch.
  ///
  /// Costs the fetch, the objects concerned, and memory for their last values. A save takes 100,000 objects at most;
  /// see `BackgroundContext` for deletions in several saves.
  ///
  /// - Parameter name: The name of the undo step.
  /// - Returns: How many objects matched, without those that were deleted with them.
  /// - Throws: ``FetchError``, also if an object that a delete rule concerns cannot be read; then nothing is deleted.
  @discardableResult
  public func deleteAll<Model: PersistentModel>(_ fetch: Fetch<Model>, name: String? = nil) throws -> Int {
    let compiled = try CompiledFetch(fetch, schema: store.map.schema)
    guard let map = store.map.map(compiled.entity.interned) else { throw FetchError.unknownEntity(Model.entity.name) }
    var ids: [AnyObjectID] = []
    try projection.forEachMatch(compiled, map, reading: []) { id, _ in ids.append(id) }
    applyAsOneStep(try deletion(of: ids), name)
    return ids.count
  }

  /// Not so named here.
  @available(*, unavailable, renamed: "deleteAll")
  public func delete<Model: PersistentModel>(_ fetch: Fetch<Model>) {}

  /// The changes that deleting objects entails.
  func deletion(
    of ids: [AnyObjectID]
  ) throws(FetchError) -> [(object: AnyObjectID, change: ObjectChange)] {
    var state = ContextState(context: self)
    do throws(StoreError) {
      return try store.map.deletion(of: ids, over: &state) ?? []
    } catch {
      throw .notReadable(error.description)
    }
  }

  /// The same of a number of changes that one save may have; throws ``SaveError/tooLarge(events:limit:)`` if they are
  /// more, at the cost of so many.
  func deletion(
    of ids: [AnyObjectID], emptying references: [(object: AnyObjectID, slot: Int)] = [],
    keeping kept: Set<AnyObjectID> = [], atMost limit: Int
  ) throws -> [(object: AnyObjectID, change: ObjectChange)] {
    var state = ContextState(context: self)
    let changes: [(object: AnyObjectID, change: ObjectChange)]?
    do throws(StoreError) {
      changes = try store.map.deletion(
        of: ids, emptying: references, keeping: kept, atMost: limit, over: &state)
    } catch {
      throw FetchError.notReadable(error.description)
    }
    guard let changes else { throw SaveError.tooLarge(events: limit + 1, limit: limit) }
    return changes
  }

  @discardableResult
  func applyAsOneStep(_ changes: [(object: AnyObjectID, change: ObjectChange)], _ name: String?) -> Int {
    if changes.isEmpty { return 0 }
    asOneBatch { group(name) { apply(changes) } }
    return changes.count
  }

  /// The first object that matches a fetch, or else the one that `make` returns, inserted into this context.
  ///
  /// ```swift
  /// let tag = try context.findOrInsert(Fetch<Tag> { $0.name == "new" }) { Tag(name: "new") }
  /// ```
  ///
  /// O(log n) if an index has the condition. `make` should return an object that matches, or the next call inserts
  /// another one.
  ///
  /// One context thereby has one such object. Two contexts may each insert one, because neither sees the other's before
  /// it is saved; if what the condition compares is unique, the second save is refused, and otherwise both are there.
  ///
  /// - Throws: ``FetchError``, or what `make` throws; then nothing is inserted.
  public func findOrInsert<Model: PersistentModel>(_ fetch: Fetch<Model>, _ make: () throws -> Model) throws -> Model {
    if let found = try first(fetch) { return found }
    return insert(try make())
  }
}
