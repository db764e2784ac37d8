import RepriseEventStore
import RepriseObjectModel
import RepriseQuery

extension ObjectContext {
  /// The objects that match a fetch, in its order, including uncommitted changes.
  ///
  /// A condition on an indexed attribute or a to-one relationship is served by its index. With a limit, and sorted by
  /// an indexed attribute first or not at all, a fetch reads objects in that order until it has enough. Any other fetch
  /// reads every object that may match, and keeps no more than it returns. On top come the uncommitted changes of the
  /// model, and the objects that others saved since the context's position.
  ///
  /// - Throws: ``FetchError``: the fetch does not fit the models, or the store cannot be read.
  public func fetch<Model: PersistentModel>(_ fetch: Fetch<Model>) throws -> [Model] {
    let compiled = try CompiledFetch(fetch, schema: store.map.schema)
    guard let map = store.map.map(Model.entity.interned) else { return [] }
    let rows = try projection.rows(compiled, map)
    return rows.compactMap { materialize(AnyObjectID(map.entity.interned, $0.uuid), map, values: $0.values) as? Model }
  }

  /// The number of objects that match a fetch, including uncommitted changes. O(log n) for all objects of a model and
  /// for a range of an indexed attribute; any other count reads every object that may match.
  ///
  /// - Throws: ``FetchError``, like ``fetch(_:)``.
  public func count<Model: PersistentModel>(_ fetch: Fetch<Model>) throws -> Int {
    let compiled = try CompiledFetch(fetch, schema: store.map.schema)
    guard let map = store.map.map(Model.entity.interned) else { return 0 }
    return try projection.count(compiled, map)
  }
}
