import RepriseLMDB
import RepriseObjectModel

extension Migrator {
  /// The first objects that have the same values as an earlier one, by an index that does not exist. Reads all objects,
  /// and those of entities with duplicates twice; in memory it has a number for each object.
  func duplicates(
    by unique: UniqueIndex, of entity: StoredEntity, limit: Int
  ) throws(StoreError) -> [RuleViolation] {
    var seen: Set<Int> = []
    var repeated: Set<Int> = []
    try forEachKey(of: unique, entity) { key, _, _ in
      if !seen.insert(key.hashValue).inserted { repeated.insert(key.hashValue) }
      return true
    }
    if repeated.isEmpty { return [] }
    seen = []
    var holders: [UniqueKey: UniqueID] = [:]
    var violations: [RuleViolation] = []
    let name = EntityName(entity.name)
    try forEachKey(of: unique, entity) { key, columns, uuid in
      guard repeated.contains(key.hashValue) else { return true }
      if let holder = holders[key] {
        violations.append(
          RuleViolation(
            object: AnyObjectID(name, uuid), properties: unique.properties, values: columns,
            rule: .unique(heldBy: AnyObjectID(name, holder))))
      } else {
        holders[key] = uuid
      }
      return violations.count < limit
    }
    return violations
  }

  private func forEachKey(
    of unique: UniqueIndex, _ entity: StoredEntity, _ body: (UniqueKey, [PropertyValue], UniqueID) -> Bool
  ) throws(StoreError) {
    try forEachRecord(of: entity) { (uuid, record) throws(MalformedBytes) in
      let columns = try unique.index.values(in: record.fields)
      return unique.key(columns).map { body($0, columns, uuid) } ?? true
    }
  }
}
