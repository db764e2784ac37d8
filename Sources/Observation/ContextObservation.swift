import Observation
import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel

/// Tells the `Observation` module what is read in a context and what changes there. One registrar serves all objects
/// and lists: their key paths begin here, and have the object and the property, or the list, in them.
final class ContextObservation: ReadTracker, Observable {
  private let registrar = ObservationRegistrar()
  private unowned let context: ObjectContext
  /// What was told last; pinned.
  private var projection: Projection
  private let entities: Set<EntityName>
  /// Making a key path takes longer than all else that a read costs.
  private var keyPaths: [Property: KeyPath<ContextObservation, Int>] = [:]

  private static let keyPathLimit = 4096
  /// Beyond so many changed objects, everything is told to have changed.
  private static let limit = 10_000

  struct Property: Hashable {
    let object: AnyObjectID
    let slot: Int
  }

  init(_ context: ObjectContext) {
    self.context = context
    projection = context.projection
    entities = Set(context.store.map.schema.entities.map(\.interned))
    _ = context.store.pin(at: projection.position)
    _ = context.observe { [weak self] in self?.contextChanged() }
  }

  deinit { projection.store.unpin(projection.position) }

  // What key paths lead to; nothing reads them.
  private subscript(property: Property) -> Int { 0 }
  private subscript(list: ObjectIdentifier) -> Int { 0 }
  private var everything: Int { 0 }

  // MARK: Reads

  func didRead(_ slot: Int, of id: AnyObjectID) {
    registrar.access(self, keyPath: keyPath(to: Property(object: id, slot: slot)))
    registrar.access(self, keyPath: \.everything)
  }

  private func keyPath(to property: Property) -> KeyPath<ContextObservation, Int> {
    if let known = keyPaths[property] { return known }
    if keyPaths.count >= Self.keyPathLimit { keyPaths.removeAll() }
    let keyPath = \ContextObservation.[property]
    keyPaths[property] = keyPath
    return keyPath
  }

  func didRead(_ list: AnyObject) { registrar.access(self, keyPath: \.[ObjectIdentifier(list)]) }

  func track(_ child: ObjectContext) { child.makeObservable() }

  // MARK: Changes

  func didChange(_ list: AnyObject) { tell(\.[ObjectIdentifier(list)]) }

  private func tell(_ keyPath: KeyPath<ContextObservation, Int>) {
    registrar.willSet(self, keyPath: keyPath)
    registrar.didSet(self, keyPath: keyPath)
  }

  private func contextChanged() {
    let next = context.projection
    let differences = try? next.differences(from: projection, in: entities, limit: Self.limit)
    _ = next.store.pin(at: next.position)
    next.store.unpin(projection.position)
    projection = next
    guard let differences, next.failure == nil else { return tell(\.everything) }
    var properties: Set<Property> = []
    for difference in differences { note(difference, &properties) }
    for property in properties { tell(keyPath(to: property)) }
  }

  private func note(_ difference: ObjectDifference, _ properties: inout Set<Property>) {
    let id = difference.id
    let schema = context.store.map.schema
    guard let entity = context.store.map.map(id.name)?.entity else { return }
    for slot in difference.slots {
      properties.insert(Property(object: id, slot: slot))
      let targets = [difference.before, difference.after].compactMap { $0?[slot].reference }
      guard !targets.isEmpty, let end = schema.relationship(slot, of: entity) else { continue }
      for target in targets { properties.insert(Property(object: target, slot: end.inverseSlot)) }
    }
    if difference.before == nil || difference.after == nil {
      properties.insert(Property(object: id, slot: ObjectStorage.existence))
    }
  }
}
