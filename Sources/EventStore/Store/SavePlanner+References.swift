import RepriseLMDB
import RepriseObjectModel

extension SavePlanner {
  /// Every object that is referred to from now on must be there.
  mutating func checkReferences(_ view: View) throws(SaveFailure) {
    var known: [AnyObjectID: Bool] = [:]
    for (id, operation) in operations {
      for (slot, target) in operation.change.newReferences {
        let exists: Bool
        if let change = operations[target]?.change {
          if case .deleted = change { exists = false } else { exists = true }
        } else if let answer = known[target] {
          exists = answer
        } else {
          guard let entity = map.map(target.name) else { continue }
          exists = try record(target.uuid, entity, view) != nil
          known[target] = exists
        }
        if !exists {
          let name = operation.map.entity.properties[slot].name
          conflicts.append(Conflict(object: id, kind: .missingTarget(name), mine: .reference(target)))
        }
      }
    }
  }
}
