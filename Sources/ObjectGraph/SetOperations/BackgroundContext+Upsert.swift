import RepriseObjectModel
import RepriseQuery

extension BackgroundContext {
  /// Upserts an object for each element of a sequence, in batches, each with its own save.
  ///
  /// No instances are made.
  ///
  /// ```swift
  /// try await background.upsert(rows, by: \Person.email, progress: { print($0.counts) }) { person, row in
  ///   [person.email.set(to: row.email), person.name.set(to: row.name)]
  /// }
  /// ```
  ///
  /// For each element, the upsert finds the object with the same unique values, in the store or in the batch, or else
  /// inserts one. The upsert then makes the assignments. If another save causes a conflict, the batch is made again, up
  /// to 99 times. From then on, writes of this process that had conflicts run one at a time, in order. If another save
  /// causes a duplicate of a unique value, the batch is made again up to three times. In the repeated batch, an element
  /// may update an object that the other context has saved, instead of inserting one. You can therefore import the same
  /// rows repeatedly, and from several processes at once.
  ///
  /// Memory use is bounded by one batch. Uncommitted changes of the context are saved first. If the task is cancelled,
  /// the operation ends between two batches. Saved batches stay, and the last call of `progress` reports them. If a
  /// save fails, ``SaveError/savedInPart(count:position:reason:)`` reports them, too.
  ///
  /// - Parameters:
  ///   - elements: The elements to import.
  ///   - key: The properties to find objects by: a unique attribute, or all properties that are unique together.
  ///   - batchSize: The number of elements in each save, 1 to 100,000.
  ///   - name: The name of each transaction.
  ///   - progress: Called on this actor after each batch.
  ///   - assignments: Returns the assignments for an element, including a value for each property of the key. The
  ///     closure may run again for the same element.
  /// - Returns: The numbers of objects inserted, updated and unchanged, and of saves.
  /// - Throws: ``UpdateError``, ``FetchError``, ``SaveError``, `CancellationError`, or the error of `assignments`. Then
  ///   the context has no uncommitted changes.
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

  /// Upserts the elements of an asynchronous sequence in batches, like a synchronous one.
  ///
  /// A batch is saved when it is full or the sequence ends, so it may wait for elements.
  ///
  /// - Throws: Also the error of the sequence. The call then discards the unfinished batch. Earlier batches stay saved.
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
    // The counts of the last attempt. They are added after its save.
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
