import RepriseLMDB
import RepriseObjectModel

extension SavePlanner {
  /// Carries the delete rules to objects that the context could not see, and keeps one-to-ones one to one.
  mutating func complete(_ view: View) throws(SaveFailure) {
    // What the context deleted itself: it followed the rules from there as far as it could see.
    var waiting: [(id: AnyObjectID, isDeleted: Bool)] = []
    for place in operations.indices where operations[place].change.isDeletion {
      waiting.append((operations[place].id, true))
    }
    while let (id, isDeleted) = waiting.popLast() {
      guard let entity = map.map(id.name) else { continue }
      let ends = map.schema.relationships(of: entity.entity)
      if !isDeleted {
        guard let last = try delete(id, view) else { continue }
        for end in ends where end.stores && end.deleteRule == .cascade {
          if let target = last[end.slot].reference { waiting.append((target, false)) }
        }
      }
      for end in ends where !end.stores {
        for source in try sources(of: id.uuid, end, view) {
          let sourceID = AnyObjectID(end.target.interned, source)
          guard try stillRefers(sourceID, slot: end.inverseSlot, to: id, view) else { continue }
          switch end.deleteRule {
          case .nullify: try change(sourceID, slot: end.inverseSlot, to: .null, view)
          case .cascade: waiting.append((sourceID, false))
          }
        }
      }
      for reference in map.hiddenReferences(to: entity.number) { try clear(reference, to: id, view) }
    }
    // As they are now: what follows refers to nothing.
    let asked = operations
    for own in asked.indices where asked[own].map.refers {
      for (slot, target) in asked[own].change.newReferences {
        guard let end = map.schema.relationship(slot, of: asked[own].map.entity), !end.inverseIsToMany,
          let back = map.schema.relationship(end.inverseSlot, of: end.target)
        else { continue }
        for source in try sources(of: target.uuid, back, view) where source != asked[own].uuid {
          let sourceID = AnyObjectID(back.target.interned, source)
          guard try stillRefers(sourceID, slot: slot, to: target, view) else { continue }
          try change(sourceID, slot: slot, to: .null, view)
        }
      }
    }
  }

  /// Empties the references to a deleted object that no model of this process knows. Whatever their delete rule says,
  /// the objects stay: a program must not delete what it cannot know to be concerned.
  private mutating func clear(_ reference: HiddenReference, to target: AnyObjectID, _ view: View) throws(SaveFailure) {
    for source in try sources(of: target.uuid, index: reference.index, view) {
      let id = AnyObjectID(reference.source.entity.interned, source)
      guard var operation = try operation(id, view), !operation.change.isDeletion else { continue }
      operation.cleared.append(reference.property)
      set(operation)
    }
  }

  /// The objects that refer, at the head, to `target` at the derived end of a relationship.
  private func sources(
    of target: UniqueID, _ end: ResolvedSchema.Relationship, _ view: View
  ) throws(SaveFailure) -> [UniqueID] {
    guard let source = map.map(end.target.interned), let number = source.indexes[end.inverseSlot] else { return [] }
    return try sources(of: target, index: number, view)
  }

  private func sources(of target: UniqueID, index number: UInt32, _ view: View) throws(SaveFailure) -> [UniqueID] {
    do throws(IndexError) {
      return try PlainIndex(number: number, table: tables.indexes).members(of: target, in: view)
    } catch {
      throw SaveFailure(error, path: path)
    }
  }

  private mutating func stillRefers(
    _ id: AnyObjectID, slot: Int, to target: AnyObjectID, _ view: View
  ) throws(SaveFailure) -> Bool {
    guard let place = place(id) else { return true }
    let operation = operations[place]
    return operation.change.applied(to: operation.values)?[slot].reference == target
  }

  private mutating func change(
    _ id: AnyObjectID, slot: Int, to new: PropertyValue, _ view: View
  ) throws(SaveFailure) {
    guard var operation = try operation(id, view), let now = operation.change.applied(to: operation.values) else {
      return
    }
    let step = ObjectChange.updated([PropertyChange(slot: slot, old: now[slot], new: new)])
    operation.change = operation.change.followed(by: step) ?? .updated([])
    set(operation)
  }

  /// Returns the values that it had until now; `nil` if it is deleted already, or not there.
  private mutating func delete(
    _ id: AnyObjectID, _ view: View
  ) throws(SaveFailure) -> ContiguousArray<PropertyValue>? {
    guard var operation = try operation(id, view), let last = operation.change.applied(to: operation.values) else {
      return nil
    }
    unseen.insert(id)
    operation.change = operation.values.map(ObjectChange.deleted) ?? .updated([])
    set(operation)
    return last
  }
}
