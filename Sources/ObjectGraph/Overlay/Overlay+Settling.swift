import RepriseEventStore
import RepriseObjectModel

extension Overlay {
  /// Changes, compared with a state that may have moved on since they began.
  struct Settled {
    /// What of them is news to the state.
    var changes = ObjectMap<ObjectChange>()
    /// What keeps them from being laid over it, by object.
    var conflicts: [Conflict] = []
  }

  /// Compares the changes with a state: agreed ones fall away, those that contradict it are conflicts; and if there are
  /// none, each object that is newly referred to must be there. A save into the log finds the same, in `SavePlan`.
  ///
  /// - Parameter state: The values of an object; `nil` where it does not exist.
  func settled(
    _ map: SchemaMap, _ state: (AnyObjectID, EntityMap) throws(StoreError) -> ContiguousArray<PropertyValue>?
  ) throws(StoreError) -> Settled {
    var settled = Settled()
    for (id, change) in changes {
      guard let entity = map.map(id.name) else { continue }
      let theirs = try state(id, entity)
      settled.conflicts += change.conflicts(of: id, with: theirs, entity.entity)
      settled.changes[id] = change.news(to: theirs)
    }
    if settled.conflicts.isEmpty {
      for (id, change) in settled.changes {
        for (slot, target) in change.newReferences {
          guard let entity = map.map(id.name)?.entity, let targets = map.map(target.name) else { continue }
          switch settled.changes[target] {
          case .inserted, .updated: continue
          case nil: if try state(target, targets) != nil { continue }
          case .deleted: break
          }
          let kind = Conflict.Kind.missingTarget(entity.properties[slot].name)
          settled.conflicts.append(Conflict(object: id, kind: kind, mine: .reference(target)))
        }
      }
    }
    settled.conflicts.sort { $0.object < $1.object }
    return settled
  }
}

extension ObjectChange {
  /// What keeps this change from being laid over a state that has these values; `nil`: that has no such object.
  fileprivate func conflicts(
    of id: AnyObjectID, with theirs: ContiguousArray<PropertyValue>?, _ entity: Entity
  ) -> [Conflict] {
    switch self {
    case .inserted:
      return theirs == nil ? [] : [Conflict(object: id, kind: .insertedTwice)]
    case .updated(let changes):
      guard let theirs else { return [Conflict(object: id, kind: .deletedByThem)] }
      return changes.compactMap { change in
        let current = theirs[change.slot]
        guard case .conflict = change.standing(to: current) else { return nil }
        return Conflict(
          object: id, kind: .attribute(entity.properties[change.slot].name), base: change.old, mine: change.new,
          theirs: current)
      }
    case .deleted(let values):
      guard let theirs else { return [] }
      let same = values.indices.allSatisfy { values[$0].isIdentical(to: theirs[$0]) }
      return same ? [] : [Conflict(object: id, kind: .deletedByMe)]
    }
  }

  /// What of this change a state with these values does not have yet.
  fileprivate func news(to theirs: ContiguousArray<PropertyValue>?) -> ObjectChange? {
    switch self {
    case .inserted: return self
    case .deleted: return theirs == nil ? nil : self
    case .updated(let changes):
      guard let theirs else { return nil }
      let news = changes.filter { if case .agreed = $0.standing(to: theirs[$0.slot]) { false } else { true } }
      return news.isEmpty ? nil : .updated(news)
    }
  }
}
