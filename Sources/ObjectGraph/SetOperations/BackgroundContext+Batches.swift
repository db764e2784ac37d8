import RepriseEventStore
import RepriseObjectModel
import RepriseQuery

// Operations on more objects than one save or the memory should hold.

extension BackgroundContext {
  /// Assigns values to every object that matches a fetch, in batches, each with its own save.
  ///
  /// No instances are made.
  ///
  /// ```swift
  /// try await background.update(Fetch<Item> { $0.year < 2000 }, batchSize: 10_000, progress: { print($0.saved) }) {
  ///   [$0.isArchived.set(to: true)]
  /// }
  /// ```
  ///
  /// Uncommitted changes of the context are saved first. Objects are changed in order of creation, if they still match
  /// when their batch is made. Objects that other contexts add meanwhile may or may not change. If a batch conflicts
  /// with another save, it is made again from the new state, up to 99 times. From then on, it takes turns with other
  /// conflicting saves, like ``Store/write(_:author:metadata:attempts:isSerializable:_:)``. A batch that is too large
  /// for one save is divided.
  ///
  /// If the task is cancelled, the operation ends between two batches. However it ends, saved batches stay, and the
  /// last call of `progress` reports them.
  /// If a save fails, ``SaveError/savedInPart(count:position:reason:)`` reports them, too.
  ///
  /// The call runs the fetch and reads each object once. Memory holds one batch and at most a million IDs, at 16 bytes
  /// each. For each further million objects, the fetch runs again.
  ///
  /// - Parameters:
  ///   - fetch: The objects to change.
  ///   - batchSize: The number of objects in each save, 1 to 100,000.
  ///   - name: The name of each transaction.
  ///   - progress: Called on this actor after each save.
  ///   - assignments: The new values.
  /// - Returns: The number of changed objects and of saves.
  /// - Throws: ``FetchError``, ``UpdateError``, ``SaveError``, or `CancellationError`. Then the context has no
  ///   uncommitted changes.
  @discardableResult
  public func update<Model: PersistentModel>(
    _ fetch: Fetch<Model>, batchSize: Int = 10_000, name: String? = nil,
    progress: @Sendable @escaping (BatchProgress) -> Void = { _ in },
    _ assignments: @Sendable @escaping (Model.Fields) -> [Assignment<Model>]
  ) async throws -> BatchProgress {
    try await perform { context in
      let update = try PlannedUpdate(fetch, assignments, in: context)
      return try await context.inBatches(
        of: batchSize, update.fetch, update.map, name: name, progress: progress
      ) { batch, context in
        let view = context.projection
        var changes: [(object: AnyObjectID, change: ObjectChange)] = []
        for (id, values) in try view.stillMatching(batch, update.fetch, update.map) {
          if let change = try update.change(values, id) { changes.append((id, change)) }
        }
        return changes
      }
    }
  }

  /// Assigns one property of every object that matches a fetch, in batches. Otherwise, it works like the method with
  /// several assignments.
  @discardableResult
  public func update<Model: PersistentModel>(
    _ fetch: Fetch<Model>, batchSize: Int = 10_000, name: String? = nil,
    progress: @Sendable @escaping (BatchProgress) -> Void = { _ in },
    _ assignment: @Sendable @escaping (Model.Fields) -> Assignment<Model>
  ) async throws -> BatchProgress {
    try await update(fetch, batchSize: batchSize, name: name, progress: progress) { [assignment($0)] }
  }

  /// Deletes every object that matches a fetch, in batches, each with its own save, and carries out delete rules.
  ///
  /// Except for the differences below, it works like `update` in batches, in order of creation.
  ///
  /// If the deletion of one matching object affects more objects than a save may have, this deletion takes several
  /// saves. The matching object is deleted last, after the objects that its delete rules delete or change. For example,
  /// the files of a folder are deleted before the folder. Every save keeps the rules of the models. If the deletion of
  /// the folder and its files would break a rule of a relationship, none of them is deleted. Unique rules and
  /// validations are checked for each save only.
  ///
  /// Meanwhile, other contexts may save. A file that another context adds to the folder is deleted, too. A file that
  /// another context moves to another folder stays, but objects already deleted because of it do not return. After an
  /// interruption, call `deleteAll` again to continue.
  ///
  /// If one of several saves fails, the objects of the earlier saves stay deleted. For example, another context may
  /// save a change, so that the remaining deletions would break a rule.
  ///
  /// Memory use is at most about 100 bytes for each object to delete, for a million objects at a time. If models have
  /// relationships with limits, or the rules `deny` or `noAction`, the values of all affected objects are also in
  /// memory.
  ///
  /// - Parameters:
  ///   - fetch: The objects to delete.
  ///   - batchSize: The number of matching objects in each save, 1 to 100,000.
  ///   - name: The name of each transaction.
  ///   - progress: Called on this actor after each save.
  /// - Returns: The number of objects deleted or changed, including by delete rules, and the number of saves.
  /// - Throws: ``FetchError``, ``UpdateError``, ``SaveError``, or `CancellationError`. Then the context has no
  ///   uncommitted changes.
  @discardableResult
  public func deleteAll<Model: PersistentModel>(
    _ fetch: Fetch<Model>, batchSize: Int = 10_000, name: String? = nil,
    progress: @Sendable @escaping (BatchProgress) -> Void = { _ in }
  ) async throws -> BatchProgress {
    try await perform { context in
      try await context.deleteInBatches(of: batchSize, fetch, name: name, progress: progress)
    }
  }

  /// Unavailable: use ``deleteAll(_:batchSize:name:progress:)``.
  @available(*, unavailable, renamed: "deleteAll")
  public func delete<Model: PersistentModel>(_ fetch: Fetch<Model>) async throws {}

  /// Imports a sequence in batches, each with its own save, by calling `insert` for each element.
  ///
  /// ```swift
  /// try await background.importObjects(of: lines, progress: { print($0.saved) }) { context, line in
  ///   context.insert(Item(name: line))
  /// }
  /// ```
  ///
  /// `insert` may insert, find and change objects. Memory use is bounded by one batch. The call reads elements from the
  /// sequence as needed, and releases the objects of a batch unless `insert` retains them. To find an object of an
  /// earlier batch, use its ID or a fetch. Uncommitted changes of the context are saved first.
  ///
  /// If another save causes a conflict, the call discards the batch and makes it again, up to 99 times. From then on,
  /// writes of this process that had conflicts run one at a time, in order. If another save causes a duplicate of a
  /// unique value, the call makes the batch again up to three times. `insert` then runs again for its elements and sees
  /// the other save. If `insert` throws, or the save fails for another reason, the call discards the batch and throws.
  ///
  /// If the task is cancelled, the operation ends between two batches. However it ends, saved batches stay, and the
  /// last call of `progress` reports them. If a save fails, ``SaveError/savedInPart(count:position:reason:)`` reports
  /// them, too.
  ///
  /// - Parameters:
  ///   - elements: The elements to import.
  ///   - batchSize: The number of elements in each save, at least 1. A save may contain at most 100,000 objects.
  ///   - name: The name of each transaction.
  ///   - progress: Called on this actor after each save.
  ///   - insert: Called once for each element, and again if its batch is repeated.
  /// - Returns: The number of imported elements and of saves.
  /// - Throws: ``UpdateError``, ``SaveError``, `CancellationError`, or the error of `insert`. Then the context has no
  ///   uncommitted changes.
  @discardableResult
  public func importObjects<Elements: Sequence & Sendable>(
    of elements: Elements, batchSize: Int = 1000, name: String? = nil,
    progress: @Sendable @escaping (BatchProgress) -> Void = { _ in },
    insert: @Sendable @escaping (RootContext, Elements.Element) throws -> Void
  ) async throws -> BatchProgress {
    try await perform { context in
      var iterator = elements.makeIterator()
      return try await context.insertInBatches(of: batchSize, name: name, progress: progress, { iterator.next() }) {
        context, batch in
        for element in batch { try insert(context, element) }
      }
    }
  }

  /// Imports an asynchronous sequence in batches, like a synchronous one.
  ///
  /// A batch is saved when it is full or the sequence ends, so it may wait for elements.
  ///
  /// - Throws: Also the error of the sequence. The call then discards the unfinished batch. Earlier batches stay saved.
  @discardableResult
  public func importObjects<Elements: AsyncSequence & Sendable>(
    of elements: Elements, batchSize: Int = 1000, name: String? = nil,
    progress: @Sendable @escaping (BatchProgress) -> Void = { _ in },
    insert: @Sendable @escaping (RootContext, Elements.Element) throws -> Void
  ) async throws -> BatchProgress {
    try await perform { context in
      var iterator = elements.makeAsyncIterator()
      return try await context.insertInBatches(
        of: batchSize, name: name, progress: progress, { try await iterator.next(isolation: #isolation) }
      ) { context, batch in
        for element in batch { try insert(context, element) }
      }
    }
  }
}

extension Projection {
  /// The objects of `ids` that the fetch without its limit finds in this context.
  func stillMatching(
    _ batch: ArraySlice<UniqueID>, _ fetch: CompiledFetch, _ map: EntityMap
  ) throws(FetchError) -> [(id: AnyObjectID, values: ContiguousArray<PropertyValue>)] {
    var found: [(id: AnyObjectID, values: ContiguousArray<PropertyValue>)] = []
    do throws(StoreError) {
      for uuid in batch {
        let id = AnyObjectID(map.entity.interned, uuid)
        guard let values = try read(id, map), fetch.matches(values, id: id, source: self) else { continue }
        found.append((id, values))
      }
    } catch {
      throw FetchError(reading: error)
    }
    if let failure { throw .notReadable(failure.description) }
    return found
  }
}
