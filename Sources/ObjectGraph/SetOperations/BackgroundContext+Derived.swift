import RepriseEventStore
import RepriseObjectModel
import RepriseQuery

extension BackgroundContext {
  /// Computes derived attributes again, and stores the values that differ.
  ///
  /// Stored values differ if a program changed the objects without having the attribute, or with another computation.
  /// Until you call `updateDerived`, fetches find these objects by the old values. If the models declare a new derived
  /// attribute, or a new version of one, opening the store does the same.
  ///
  /// ```swift
  /// try await background.updateDerived(Fetch<Person>())
  /// ```
  ///
  /// The work is done in batches, each with its own save, like an update of the same objects. If the process ends or
  /// the task is cancelled, call `updateDerived` again. It stores the values that still differ. All objects of the
  /// fetch are read, however few values differ.
  ///
  /// - Parameters:
  ///   - fetch: The objects to check.
  ///   - batchSize: The largest number of objects in each save, 1 to 100,000.
  ///   - name: The name of each transaction.
  ///   - progress: Called on this actor after each save.
  /// - Returns: The number of changed objects and of saves.
  /// - Throws: ``FetchError``, ``UpdateError``, ``SaveError``, or `CancellationError`. Then the context has no
  ///   uncommitted changes.
  @discardableResult
  public func updateDerived<Model: PersistentModel>(
    _ fetch: Fetch<Model>, batchSize: Int = 10_000, name: String? = nil,
    progress: @Sendable @escaping (BatchProgress) -> Void = { _ in }
  ) async throws -> BatchProgress {
    try await perform { context in
      let fetch = try CompiledFetch(fetch, schema: context.store.map.schema)
      guard let map = context.store.map.map(fetch.entity.interned) else {
        throw FetchError.unknownEntity(Model.entity.name)
      }
      return try await context.inBatches(of: batchSize, fetch, map, name: name, progress: progress) { batch, context in
        let view = context.projection
        return try view.stillMatching(batch, fetch, map).compactMap { id, stored in
          var values = stored
          map.entity.derive(&values, of: id.uuid)
          return ObjectChange.updated(from: stored, to: values).map { (id, $0) }
        }
      }
    }
  }
}
