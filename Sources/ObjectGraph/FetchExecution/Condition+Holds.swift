import RepriseEventStore
import RepriseObjectModel
import RepriseQuery

extension Condition {
  /// Returns whether the condition holds for an object, including the uncommitted changes of its context.
  ///
  /// The result is true exactly if a fetch in the object's context would find the object. A deleted object matches no
  /// condition. For a detached object, the condition sees the detached objects that it refers to.
  ///
  /// Each call resolves the names in the condition, and looks up each related object and member that the condition
  /// uses. Reading a loaded object's own attributes costs nothing. To test many objects, use a fetch.
  ///
  /// - Throws: ``FetchError`` if the condition does not fit the models, or if something cannot be read. For a detached
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
      // Throws the reason if an attribute shows its default instead of an unreadable value, or if the object cannot be
      // read at all.
      do throws(StoreError) {
        values = try projection.read(storage.id, map)
      } catch {
        throw FetchError(reading: error)
      }
    default: values = storage.values
    }
    let holds = values.map { compiled.matches($0, id: storage.id, source: projection) } ?? false
    if let failure = projection.failure { throw FetchError.notReadable(failure.description) }
    return holds
  }
}
