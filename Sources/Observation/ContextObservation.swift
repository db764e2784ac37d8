import Observation
import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel

/// Reports reads and changes of a context to the `Observation` module. One registrar serves all objects and lists.
/// Their key paths have this type as root, and contain the object and the property, or the list.
final class ContextObservation: ReadTracker, Observable {
  private let registrar = ObservationRegistrar()
  private unowned let context: ObjectContext
  /// The view of the last report. Its position is pinned.
  private var projection: Projection
  private let entities: [EntityName]
  /// Making a key path takes longer than the rest of a read.
  private var keyPaths: [Property: KeyPath<ContextObservation, Int>] = [:]
  /// The values that edits of this turn have set, and that were reported at once. For an object's existence, whether it
  /// exists.
  private var told: [Property: PropertyValue] = [:]

  private static let keyPathLimit = 4096
  /// With more changed objects than this, everything is reported as changed.
  private static let limit = 10_000
  /// With more edits than this, the edits of a turn are reported at its end, because each costs a key path.
  private static let editLimit = 1_000

  struct Property: Hashable {
    let object: AnyObjectID
    let slot: Int
  }

  init(_ context: ObjectContext) {
    self.context = context
    projection = context.projection
    entities = context.store.map.schema.entities.map(\.interned)
    _ = context.store.pin(at: projection.position)
    _ = context.observe(Self.self) { [weak self] in self?.contextChanged() }
  }

  deinit { projection.store.unpin(projection.position) }

  // The target of key paths, which nothing reads.
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

  /// Reports an edit at once, so that an animation around it includes its effect. All other changes are reported at the
  /// end of the turn.
  func didEdit(_ id: AnyObjectID, _ change: ObjectChange) {
    guard told.count < Self.editLimit, let entity = context.store.map.map(id.name)?.entity else { return }
    func didSet(_ slot: Int, from old: PropertyValue, to new: PropertyValue) {
      let property = Property(object: id, slot: slot)
      told[property] = new
      for property in [property] + otherEnds(of: property, [old, new]) { tell(keyPath(to: property)) }
    }
    switch change {
    case .updated(let changes): for change in changes { didSet(change.slot, from: change.old, to: change.new) }
    case .inserted(let values), .deleted(let values):
      let isThere = if case .inserted = change { true } else { false }
      didSet(ObjectStorage.existence, from: .bool(!isThere), to: .bool(isThere))
      for slot in entity.properties.indices where values[slot].reference != nil {
        didSet(slot, from: isThere ? .null : values[slot], to: isThere ? values[slot] : .null)
      }
    }
  }

  /// The inverse properties of the objects that a property refers or referred to.
  private func otherEnds(of property: Property, _ values: [PropertyValue]) -> [Property] {
    let targets = values.compactMap(\.reference)
    let schema = context.store.map.schema
    guard !targets.isEmpty, let entity = context.store.map.map(property.object.name)?.entity,
      let end = schema.relationship(
        schema.reference(placedBy: property.slot, of: entity) ?? property.slot, of: entity)
    else { return [] }
    return targets.map { Property(object: $0, slot: end.inverseSlot) }
  }

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
    let edits = told
    told = [:]
    guard let differences else { return tell(\.everything) }
    var changed: [Property: [PropertyValue]] = [:]
    for difference in differences { note(difference, &changed) }
    // If a property still has the value of its last edit, it was reported already. Otherwise the edit was undone within
    // the turn, and is reported even if the value is the same as before the turn.
    for (property, told) in edits {
      let before = changed.removeValue(forKey: property) ?? []
      let now = next.value(of: property)
      if !now.isIdentical(to: told) { changed[property] = before + [told, now] }
    }
    guard next.failure == nil else { return tell(\.everything) }
    let properties = changed.reduce(into: Set<Property>()) { properties, change in
      properties.insert(change.key)
      properties.formUnion(otherEnds(of: change.key, change.value))
    }
    for property in properties { tell(keyPath(to: property)) }
  }

  /// Adds the old and the new values of the changed properties. For a place in a relationship, adds the references
  /// instead.
  private func note(_ difference: ObjectDifference, _ changed: inout [Property: [PropertyValue]]) {
    let (before, after) = (difference.before, difference.after)
    let schema = context.store.map.schema
    guard let entity = context.store.map.map(difference.id.name)?.entity else { return }
    for slot in difference.slots {
      let values = schema.reference(placedBy: slot, of: entity) ?? slot
      changed[Property(object: difference.id, slot: slot)] = [before, after].compactMap { $0?[values] }
    }
    if before == nil || after == nil {
      changed[Property(object: difference.id, slot: ObjectStorage.existence)] = []
    }
  }
}

extension Projection {
  fileprivate func value(of property: ContextObservation.Property) -> PropertyValue {
    let values = values(of: property.object)
    return property.slot == ObjectStorage.existence ? .bool(values != nil) : values?[property.slot] ?? .null
  }
}
