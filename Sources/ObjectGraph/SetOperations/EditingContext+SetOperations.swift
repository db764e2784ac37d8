import RepriseEventStore
import RepriseObjectModel
import RepriseQuery

extension EditingContext {
  /// Assigns values to every object that matches a fetch, as one undo step: SQL's `update … set … where`.
  ///
  /// ```swift
  /// try context.update(Fetch<Item> { $0.owner == ada.id }) { [$0.isSold.set(to: true), $0.price.increase(by: 5)] }
  /// ```
  ///
  /// The effect is the same as assigning to each object, but no instances are made. The changes are uncommitted until
  /// the next save, and the draft records them. Live objects show the new values at once, and lists get one batch of
  /// changes. An object that already has the values does not change. If the fetch has a limit, only the objects within
  /// it change.
  ///
  /// Takes as long as the fetch, which decodes only the fields that it uses, and memory for each changed property. A
  /// save may contain at most 100,000 objects. To update more, use a `BackgroundContext`, which makes several saves.
  ///
  /// - Parameters:
  ///   - fetch: The objects to change.
  ///   - name: The name of the undo step.
  ///   - assignments: The new values.
  /// - Returns: The number of changed objects.
  /// - Throws: ``FetchError`` or ``UpdateError``. Then nothing has changed.
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

  /// Assigns one property of every object that matches a fetch. Otherwise, it works like the method with several
  /// assignments.
  @discardableResult
  public func update<Model: PersistentModel>(
    _ fetch: Fetch<Model>, name: String? = nil, _ assignment: (Model.Fields) -> Assignment<Model>
  ) throws -> Int {
    try update(fetch, name: name) { [assignment($0)] }
  }

  /// Deletes every object that matches a fetch, as one undo step, and carries out delete rules like ``delete(_:)``.
  ///
  /// No instances are made. Live objects keep their last values, and lists get one batch of changes.
  ///
  /// Takes as long as the fetch and as changing each deleted or related object, and memory for their last values. A
  /// save may contain at most 100,000 objects. To delete more, use a `BackgroundContext`, which makes several saves.
  ///
  /// - Parameters:
  ///   - fetch: The objects to delete.
  ///   - name: The name of the undo step.
  /// - Returns: The number of matching objects. Objects deleted only by delete rules do not count.
  /// - Throws: ``FetchError``, also if an object affected by a delete rule cannot be read. Then nothing is deleted.
  @discardableResult
  public func deleteAll<Model: PersistentModel>(_ fetch: Fetch<Model>, name: String? = nil) throws -> Int {
    let compiled = try CompiledFetch(fetch, schema: store.map.schema)
    guard let map = store.map.map(compiled.entity.interned) else { throw FetchError.unknownEntity(Model.entity.name) }
    var ids: [AnyObjectID] = []
    try projection.forEachMatch(compiled, map, reading: []) { id, _ in ids.append(id) }
    applyAsOneStep(try deletion(of: ids), name)
    return ids.count
  }

  /// Unavailable: use ``deleteAll(_:name:)``.
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
      throw FetchError(reading: error)
    }
  }

  /// The changes that deleting objects entails, if one save can hold them. Throws ``SaveError/tooLarge(events:limit:)``
  /// as soon as there are more than `limit` changes.
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
      throw FetchError(reading: error)
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

  /// Returns the first object that matches a fetch, or else inserts and returns the result of `make`.
  ///
  /// ```swift
  /// let tag = try context.findOrInsert(Fetch<Tag> { $0.name == "new" }) { Tag(name: "new") }
  /// ```
  ///
  /// Takes O(log n) if an index covers the condition. `make` should return an object that matches. Otherwise, the next
  /// call inserts another one.
  ///
  /// Within one context there is then only one such object. Two contexts may each insert one, because neither sees the
  /// other's unsaved object. If the compared property is unique, the second save throws. Otherwise, both objects exist.
  ///
  /// - Throws: ``FetchError``, or the error of `make`. Then nothing is inserted.
  public func findOrInsert<Model: PersistentModel>(_ fetch: Fetch<Model>, _ make: () throws -> Model) throws -> Model {
    if let found = try first(fetch) { return found }
    return insert(try make())
  }
}
