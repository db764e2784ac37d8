import RepriseEventStore
import RepriseObjectModel
import RepriseQuery

// Operations on more objects than one save, or memory, should have.

extension BackgroundContext {
  /// Assigns to every object that matches a fetch, in batches, each saved on its own, without making objects.
  ///
  /// ```swift
  /// try await background.update(Fetch<Item> { $0.year < 2000 }, batchSize: 10_000, progress: { print($0.saved) }) {
  ///   [$0.isArchived.set(to: true)]
  /// }
  /// ```
  ///
  /// Uncommitted changes of the context are saved first. Objects are changed in order of birth, if they still match
  /// when their batch comes; those that others add meanwhile may or may not be among them. A batch in conflict with
  /// others' saves is made again from what they saved, up to three times. One that is too large for a save is divided.
  ///
  /// Cancelling the task ends it between two batches. What was saved stays, however it ends; the last call of
  /// `progress` says how much.
  ///
  /// Costs the fetch, and a read and the memory of one batch for its objects. Keeps the IDs of a million objects at
  /// most, 16 bytes each; for each further million it runs the fetch again.
  ///
  /// - Parameters:
  ///   - batchSize: How many objects each save has; 1 to 100,000.
  ///   - name: The name of each transaction.
  ///   - progress: Called on this actor after each save.
  /// - Returns: How many objects changed, in how many saves.
  /// - Throws: ``FetchError``, ``UpdateError``, ``SaveError``, or `CancellationError`. Then no changes are pending.
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

  /// Assigns one property of every object that matches a fetch, in batches; otherwise like several.
  @discardableResult
  public func update<Model: PersistentModel>(
    _ fetch: Fetch<Model>, batchSize: Int = 10_000, name: String? = nil,
    progress: @Sendable @escaping (BatchProgress) -> Void = { _ in },
    _ assignment: @Sendable @escaping (Model.Fields) -> Assignment<Model>
  ) async throws -> BatchProgress {
    try await update(fetch, batchSize: batchSize, name: name, progress: progress) { [assignment($0)] }
  }

  /// Deletes every object that matches a fetch, in batches, each saved on its own, and carries out the delete rules.
  /// Otherwise like an update.
  ///
  /// If delete rules concern more objects than one save may have, that deletion takes several saves: the objects that
  /// go with the matching one are deleted first, and references to it emptied, and it goes last. For example, the files
  /// of a folder go before the folder. Each save keeps the rules of the models. If the deletion as a whole would break
  /// one, nothing is deleted. If it is interrupted, another call goes on. Objects that others add meanwhile go with it;
  /// objects that others move elsewhere stay, without what was deleted of them by then. It keeps about 100 bytes for
  /// each of a million objects at most; if models have relationships with limits, or the rules `deny` or `noAction`,
  /// the values of all objects concerned.
  ///
  /// - Returns: How many objects were deleted or changed, those that delete rules concern included, in how many saves.
  @discardableResult
  public func deleteAll<Model: PersistentModel>(
    _ fetch: Fetch<Model>, batchSize: Int = 10_000, name: String? = nil,
    progress: @Sendable @escaping (BatchProgress) -> Void = { _ in }
  ) async throws -> BatchProgress {
    try await perform { context in
      try await context.deleteInBatches(of: batchSize, fetch, name: name, progress: progress)
    }
  }

  /// Imports a sequence in batches, each saved on its own: `insert` is called for each element, and inserts, finds and
  /// changes whatever it makes of it.
  ///
  /// ```swift
  /// try await background.importObjects(of: lines, progress: { print($0.saved) }) { context, line in
  ///   context.insert(Item(name: line))
  /// }
  /// ```
  ///
  /// Memory is bounded by one batch: objects go with it, unless `insert` keeps them; elements are taken from the
  /// sequence as they are needed. An object of an earlier batch is found by its ID or by a fetch. Uncommitted changes
  /// of the context are saved first.
  ///
  /// Cancelling the task ends it between two batches. What was saved stays, however it ends; the last call of
  /// `progress` says how much. If others meanwhile saved an object with unique values that the batch has as well, or
  /// what it is in conflict with, the batch is dropped and made again, up to three times: `insert` is then called for
  /// its elements once more, and finds what they saved. If `insert` or a save throws otherwise, the batch is dropped.
  ///
  /// - Parameters:
  ///   - batchSize: How many elements each save has, at least 1. A save takes 100,000 objects at most.
  ///   - name: The name of each transaction.
  ///   - progress: Called on this actor after each save.
  /// - Returns: How many elements were imported, in how many saves.
  /// - Throws: ``UpdateError``, ``SaveError``, `CancellationError`, or what `insert` throws. Then no changes are
  ///   pending.
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

  /// Imports an asynchronous sequence in batches, like one that is not. A batch waits until it is full or the sequence
  /// ends.
  ///
  /// - Throws: What the sequence throws, too; the batch that was being filled is then dropped.
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
  /// Those of these objects that a fetch finds here, whatever its limit.
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
      throw .notReadable(error.description)
    }
    if let failure { throw .notReadable(failure.description) }
    return found
  }
}
