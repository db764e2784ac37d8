import RepriseObjectModel

extension DraftReplay {
  /// The draft in terms of this process's models; throws if they lack an entity or a property that it touches.
  func image(_ map: SchemaMap) throws(MalformedBytes) -> DraftImage {
    var changes = ObjectMap<ObjectChange>()
    changes.reserveCapacity(layers.first?.net.changes.count ?? 0)
    for layer in layers {
      for change in layer.net.changes {
        guard let (object, next) = try change.objectChange(map) else { continue }
        changes.update(object) { first in first.map { $0.followed(by: next) } ?? next }
      }
    }
    return DraftImage(
      header: header, generation: generation, changes: changes, groupCount: layers.reduce(0) { $0 + $1.groups.count },
      lastGroupName: layers.last { !$0.groups.isEmpty }?.groups.last?.name,
      redoCount: layers.reduce(0) { $0 + $1.redo.count }, reversals: reversals, steps: .state(self), map: map)
  }

  private var reversals: [Reversal] {
    var reversals: [Reversal] = []
    for layer in layers {
      for group in layer.groups {
        guard let reversal = group.reversal else { return reversals }
        reversals.append(reversal)
      }
    }
    return reversals
  }
}

extension NetChanges.Change {
  /// `nil` if no net change remains.
  func objectChange(_ map: SchemaMap) throws(MalformedBytes) -> (AnyObjectID, ObjectChange)? {
    guard let kind, isChange else { return nil }
    let entity = try map.entity(object)
    let id = AnyObjectID(entity.entity.interned, object.uuid)
    switch kind {
    case .inserted: return (id, .inserted(try entity.values(fields.map { ($0.number, $0.new) }, map)))
    case .deleted: return (id, .deleted(try entity.values(fields.map { ($0.number, $0.old) }, map)))
    case .updated:
      var changes: [PropertyChange] = []
      changes.reserveCapacity(fields.count)
      for field in fields where field.isChange {
        changes.append(
          PropertyChange(
            slot: try entity.known(field.number), old: try field.old.propertyValue(map),
            new: try field.new.propertyValue(map)))
      }
      if changes.count > 1 { changes.sort { $0.slot < $1.slot } }
      return (id, .updated(changes))
    }
  }
}

extension SchemaMap {
  func entity(_ object: ObjectAddress) throws(MalformedBytes) -> EntityMap {
    guard let entity = map(number: object.entity) else {
      throw MalformedBytes("a model for the entity with the number \(object.entity)", at: 0)
    }
    return entity
  }
}

extension EntityMap {
  func known(_ number: UInt32) throws(MalformedBytes) -> Int {
    guard let slot = slot(number) else {
      throw MalformedBytes("a property of \(entity.name) with the number \(number)", at: 0)
    }
    return slot
  }

  func values(
    _ fields: [(UInt32, DraftValue)], _ map: SchemaMap
  ) throws(MalformedBytes) -> ContiguousArray<PropertyValue> {
    var values = defaults
    for (number, value) in fields { values[try known(number)] = try value.propertyValue(map) }
    return values
  }
}
