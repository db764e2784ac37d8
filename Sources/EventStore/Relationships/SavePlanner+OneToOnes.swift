import RepriseLog
import RepriseObjectModel

extension SavePlanner {
  /// Keeps one-to-ones exclusive: any other object that refers to the target of a new reference loses its own.
  mutating func checkOneToOnes(_ state: inout some LowerState & ~Escapable) throws(StoreError) {
    // Operations added in this loop only empty references, so they need no check.
    let asked = operations
    for own in asked.indices where asked[own].map.refers {
      for (slot, target) in asked[own].change.newReferences {
        guard let back = map.schema.derivedEnd(ofOneToOne: slot, of: asked[own].map.entity) else { continue }
        for source in try state.sources(of: target.uuid, back) where source != asked[own].uuid {
          let other = AnyObjectID(back.target.interned, source)
          guard operations[own].refers(slot, to: target), try stillRefers(other, slot: slot, to: target, &state) else {
            continue
          }
          let conflict = Conflict(
            object: asked[own].id, kind: .taken(asked[own].map.entity.properties[slot].name, by: other),
            mine: .reference(target), theirs: asked[own].values?[slot] ?? .null)
          if try settle(conflict, at: own, slot, isMissing: false, &state) {
            try change(other, slot: slot, to: .null, &state)
          }
        }
      }
    }
  }
}
