import RepriseEventStore
import RepriseObjectModel
import RepriseQuery

/// Assignments to properties of a model, resolved against the models of a store and checked.
struct PlannedAssignments {
  let map: EntityMap
  private let assignments: [CompiledAssignment]
  private let schema: SchemaMap

  init<Model: PersistentModel>(
    _ assignments: [Assignment<Model>], _ map: EntityMap, in context: EditingContext
  ) throws {
    schema = context.store.map
    self.map = map
    var compiled: [CompiledAssignment] = []
    for assignment in assignments {
      let next = try CompiledAssignment(assignment, in: schema.schema)
      if let target = next.target {
        guard schema.schema.derivedEnd(ofOneToOne: next.slot, of: map.entity) == nil else {
          throw UpdateError.oneToOne(entity: map.entity.name, property: map.entity.properties[next.slot].name)
        }
        guard try Self.exists(target, in: context) else { throw UpdateError.missingTarget(target) }
      }
      compiled.append(next)
    }
    self.assignments = compiled
  }

  private static func exists(_ id: AnyObjectID, in context: EditingContext) throws(FetchError) -> Bool {
    guard let map = context.store.map.map(id.name) else { return false }
    do throws(StoreError) {
      return try context.reading(of: id, map).values != nil
    } catch {
      throw FetchError(reading: error)
    }
  }

  /// The slots of the assigned properties, and of the places that they change.
  var slots: SlotSet {
    assignments.reduce(into: []) { slots, assignment in
      slots.insert(assignment.slot)
      if let places = places(in: assignment.slot) { slots.insert(places.slot) }
    }
  }

  private func places(in slot: Int) -> ResolvedSchema.Relationship.Places? {
    schema.schema.relationship(slot, of: map.entity)?.places
  }

  /// The values of an object after the assignments. An object that enters an ordered relationship comes last there.
  func values(
    after values: ContiguousArray<PropertyValue>, _ id: AnyObjectID
  ) throws(UpdateError) -> ContiguousArray<PropertyValue> {
    var changed = values
    for assignment in assignments {
      guard let value = assignment.value(after: changed[assignment.slot]) else {
        throw .overflow(object: id, property: map.entity.properties[assignment.slot].name)
      }
      if let reason = map.entity.properties[assignment.slot].objection(to: value) {
        let property = map.entity.properties[assignment.slot]
        throw .invalidValue(
          InvalidValue(object: id, property: property.name, value: value, reason: reason, type: property.type))
      }
      changed[assignment.slot] = value
    }
    for slot in Set(assignments.lazy.map(\.slot)) where !changed[slot].isNull && changed[slot] != values[slot] {
      if let places = places(in: slot) { changed[places.slot] = Place.atEnd() }
    }
    return changed
  }
}
