import RepriseEventStore
import RepriseObjectModel
import RepriseQuery

extension Condition {
  /// Whether the condition holds of an object as it reads now, with the uncommitted changes of its context: exactly
  /// where a fetch of the context would find it. A deleted object matches nothing. A detached one is tested with the
  /// detached objects that it leads to.
  ///
  /// Costs the resolving of the condition's names at each call, then reads what the condition names: of the object
  /// itself nothing, once it is loaded; of others, and of members, one look-up each. For many objects, fetch.
  ///
  /// - Throws: ``FetchError``: the condition does not fit the models, or something cannot be read; for a detached
  ///   object also ``SchemaError``, if its models are not valid.
  public func holds(for object: Model) throws -> Bool {
    let storage = object._storage
    let fetch = Fetch<Model> { _ in self }
    guard let host = storage.host else {
      let objects = try DetachedObjects(object)
      let compiled = try CompiledFetch(fetch, schema: objects.schema)
      return objects.values(of: storage.id).map { compiled.matches($0, id: storage.id, source: objects) } ?? false
    }
    guard let context = host as? ObjectContext, let map = context.store.map.map(storage.entity.interned) else {
      throw FetchError.unknownEntity(storage.entity.name)
    }
    let compiled = try CompiledFetch(fetch, schema: context.store.map.schema)
    let projection = context.projection
    let values: ContiguousArray<PropertyValue>?
    switch storage.currentState {
    case .deleted: values = nil
    case .unreadable:
      // Shows a default instead of what is stored, or nothing can be read at all, which is thrown.
      do throws(StoreError) {
        values = try projection.read(storage.id, map)
      } catch {
        throw FetchError.notReadable(error.description)
      }
    default: values = storage.values
    }
    let holds = values.map { compiled.matches($0, id: storage.id, source: projection) } ?? false
    if let failure = projection.failure { throw FetchError.notReadable(failure.description) }
    return holds
  }
}
