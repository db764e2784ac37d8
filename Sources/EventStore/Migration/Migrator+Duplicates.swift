import RepriseLMDB
import RepriseLog
import RepriseObjectModel

extension Migrator {
  /// The first objects that have the same values as an earlier one, by an index that does not exist yet. Reads all
  /// objects once, and again if there are duplicates. Takes the memory of a number for each object.
  func duplicates(
    by unique: UniqueIndex, of entity: StoredEntity, limit: Int
  ) throws(StoreError) -> [RuleViolation] {
    try duplicates(by: unique, of: entity.name, limit: limit) { (body) throws(StoreError) in
      try forEachRecord(of: entity) { (uuid, record) throws(MalformedBytes) in
        body(uuid, try unique.index.values(in: record.fields))
      }
    }
  }

  /// The first objects that have the same values as an earlier one. `forEach`, called once or twice, passes each object
  /// with the values of its columns, until its body returns false.
  func duplicates(
    by unique: UniqueIndex, of entity: String, limit: Int,
    forEach: (_ body: (UniqueID, [PropertyValue]) -> Bool) throws(StoreError) -> Void
  ) throws(StoreError) -> [RuleViolation] {
    var seen: Set<Int> = []
    var repeated: Set<Int> = []
    try forEach { _, columns in
      guard let key = unique.key(columns) else { return true }
      if !seen.insert(key.hashValue).inserted { repeated.insert(key.hashValue) }
      return true
    }
    if repeated.isEmpty { return [] }
    seen = []
    var holders: [UniqueKey: UniqueID] = [:]
    var violations: [RuleViolation] = []
    let name = EntityName(entity)
    try forEach { uuid, columns in
      guard let key = unique.key(columns), repeated.contains(key.hashValue) else { return true }
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
}
