import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery

/// Decides which objects of a model are rows of a source's list.
struct RemoteScope<Element: PersistentModel>: Sendable {
  let fetch: Fetch<Element>
  private let map: EntityMap
  /// `nil` if all objects are rows.
  private let condition: CompiledFetch?

  init(_ fetch: Fetch<Element>, _ map: EntityMap, in store: Store) throws {
    self.fetch = fetch
    self.map = map
    let compiled = try CompiledFetch(fetch, schema: store.map.schema)
    condition = fetch.condition == Condition(true) ? nil : compiled.unordered(limit: nil)
  }

  /// Whether an object was a row after the transaction at `position`. The object must exist there.
  func contains(_ object: UniqueID, at position: Position, in context: RootContext) throws -> Bool {
    guard condition != nil else { return true }
    let store = context.store
    let pinned = store.pin(at: position)
    defer { store.unpin(pinned) }
    return try contains(object, in: context.projection.past(at: position, uncommitted: []))
  }

  /// Whether an object is a row in the context's view.
  func contains(_ object: Element, in context: RootContext) throws -> Bool {
    try condition == nil || contains(object._storage.uuid, in: context.projection)
  }

  private func contains(_ object: UniqueID, in view: Projection) throws -> Bool {
    let id = AnyObjectID(map.entity.interned, object)
    guard let values = try view.read(id, map) else { return false }
    let matches = condition?.matches(values, id: id, source: view) ?? true
    if let failure = view.failure { throw failure }
    return matches
  }
}
