import RepriseLMDB
import RepriseObjectModel

extension SavePlanner {
  /// Every object that is referred to from now on must be there.
  mutating func checkReferences(_ view: View) throws(SaveFailure) {
    var known: [AnyObjectID: Bool] = [:]
    for own in operations.indices where operations[own].map.refers {
      for (slot, target) in operations[own].change.newReferences {
        let exists: Bool
        if let place = place(target) {
          exists = !operations[place].isGone
        } else if let answer = known[target] {
          exists = answer
        } else {
          guard let entity = map.map(target.name) else { continue }
          exists = try record(target.uuid, entity, view) != nil
          known[target] = exists
        }
        if !exists {
          let name = operations[own].map.entity.properties[slot].name
          conflicts.append(Conflict(object: operations[own].id, kind: .missingTarget(name), mine: .reference(target)))
        }
      }
    }
  }
}
