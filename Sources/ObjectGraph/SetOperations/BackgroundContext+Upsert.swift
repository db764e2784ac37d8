import RepriseObjectModel
import RepriseQuery

extension BackgroundContext {
  /// Upserts an object for each element of a sequence, in batches, each saved on its own, without making objects.
  ///
  /// ```swift
  /// try await background.upsert(rows, by: \Person.email, progress: { print($0.counts) }) { person, row in
  ///   [person.email.set(to: row.email), person.name.set(to: row.name)]
  /// }
  /// ```
  ///
  /// Each element finds the object with its unique values, in the store or among those of its batch, or else makes a
  /// new one, and changes what is assigned. A batch that loses a race, because others meanwhile saved objects with
  /// these values or changed the same properties, is made again from what they saved, up to three times: what was to be
  /// inserted then updates theirs. So the same rows can be imported again and again, by several processes at a time.
  ///
  /// Memory is bounded by one batch. Uncommitted changes of the context are saved first. Cancelling the task ends it
  /// between two batches; what was saved stays, and the last call of `progress` says how much.
  ///
  /// - Parameters:
  ///   - key: The properties by which to find objects: a unique attribute, or all that are unique together.
  ///   - batchSize: How many elements each save has; 1 to 100,000.
  ///   - name: The name of each transaction.
  ///   - progress: Called on this actor after each batch.
  ///   - assignments: What to assign for an element, including a value for each property of the key. May be called
  ///     again for an element.
  /// - Returns: What was done.
  /// - Throws: ``UpdateError``, ``FetchError``, ``SaveError``, `CancellationError`, or what `assignments` throws. Then
  ///   no changes are pending.
  @discardableResult
  public func upsert<Model: PersistentModel, Elements: Sequence & Sendable>(
    _ elements: Elements, by key: (PartialKeyPath<Model> & Sendable)..., batchSize: Int = 1000, name: String? = nil,
    progress: @Sendable @escaping (UpsertProgress) -> Void = { _ in },
    _ assignments: @Sendable @escaping (Model.Fields, Elements.Element) throws -> [Assignment<Model>]
  ) async throws -> UpsertProgress {
    try await perform { context in
      var iterator = elements.makeIterator()
      return try await context.upsertInBatches(
        of: batchSize, by: key, name: name, progress: progress, { iterator.next() }, assignments)
    }
  }

  /// Upserts the elements of an asynchronous sequence in batches, like those of one that is not. A batch waits until it
  /// is full or the sequence ends.
  ///
  /// - Throws: What the sequence throws, too; the batch that was being filled is then dropped.
  @discardableResult
  public func upsert<Model: PersistentModel, Elements: AsyncSequence & Sendable>(
    _ elements: Elements, by key: (PartialKeyPath<Model> & Sendable)..., batchSize: Int = 1000, name: String? = nil,
    progress: @Sendable @escaping (UpsertProgress) -> Void = { _ in },
    _ assignments: @Sendable @escaping (Model.Fields, Elements.Element) throws -> [Assignment<Model>]
  ) async throws -> UpsertProgress {
    try await perform { context in
      var iterator = elements.makeAsyncIterator()
      return try await context.upsertInBatches(
        of: batchSize, by: key, name: name, progress: progress, { try await iterator.next(isolation: #isolation) },
        assignments)
    }
  }
}

extension RootContext {
  nonisolated(nonsending)
    fileprivate func upsertInBatches<Model: PersistentModel, Element>(
      of size: Int, by key: [PartialKeyPath<Model> & Sendable], name: String?, progress: (UpsertProgress) -> Void,
      _ next: nonisolated(nonsending) () async throws -> Element?,
      _ assignments: (Model.Fields, Element) throws -> [Assignment<Model>]
    ) async throws -> UpsertProgress
  {
    var sum = UpsertCounts()
    // Of the last attempt; it counts once it is saved.
    var batch = UpsertCounts()
    let count: (BatchProgress) -> Void = { done in
      sum += batch
      progress(UpsertProgress(counts: sum, batches: done))
    }
    let done = try await insertInBatches(of: size, name: name, progress: count, next) { context, elements in
      batch = try context.upsertAll(elements, by: key, name: nil, assignments)
    }
    return UpsertProgress(counts: sum, batches: done)
  }
}
