import RepriseEventStore
import RepriseObjectModel
import RepriseQuery

extension BackgroundContext {
  /// Stores derived attributes as they are computed now, for objects that have them otherwise: those that programs
  /// changed meanwhile that lack an attribute, or compute it in another way. Until then fetches find these by the old
  /// values. Opening a store does the same where it is needed.
  ///
  /// ```swift
  /// try await background.updateDerived(Fetch<Person>())
  /// ```
  ///
  /// In batches, each saved on its own, like an update of the same objects: a process that is killed, or cancelled,
  /// starts again and finds less to do. Costs a reading of all objects of the fetch, whatever differs.
  ///
  /// - Parameters:
  ///   - batchSize: How many objects each save has at most; 1 to 100,000.
  ///   - name: The name of each transaction.
  ///   - progress: Called on this actor after each save.
  /// - Returns: How many objects changed, in how many saves.
  /// - Throws: ``FetchError``, ``UpdateError``, ``SaveError``, or `CancellationError`. Then no changes are pending.
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
