import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// Finds objects that have the same values in the columns of a future unique index. Needs no models.
///
/// Such objects are neighbours in the index, so the search visits each row once, and reads objects only if rows are the
/// same.
struct DuplicateSearch {
  private let unique: UniqueIndex
  private let entity: StoredEntity
  private let tables: StoreTables

  /// `nil` for a property that is no unique index.
  init?(_ property: StoredProperty, of entity: StoredEntity, _ tables: StoreTables) {
    guard let unique = UniqueIndex(property, of: entity, slot: { _ in nil }) else { return nil }
    self.unique = unique
    self.entity = entity
    self.tables = tables
  }

  /// The first objects that have the same values as an earlier one.
  func violations(limit: Int, _ view: View) throws(StorageError) -> [RuleViolation] {
    var violations: [RuleViolation] = []
    var row: [UInt8] = []
    var alike: [UniqueID] = []
    // If nil does not equal nil, objects with a nil column are never the same, so their rows are skipped.
    var isNil = false
    try CountedIndex(number: unique.number, table: tables.indexes).forEach(at: RawSpan(), in: view) {
      (key) throws(StorageError) in
      guard let uuid = RowKey.uuid(key) else { return true }
      let columns = key.extracting(droppingLast: 16)
      if columns.byteCount == row.count, compareBytes(columns, row.span.bytes) == 0 {
        if !isNil { alike.append(uuid) }
        // Rows with all of their columns are the same, so no more of them are needed.
        return RowKey.isShortened(key) || violations.count + alike.count <= limit
      }
      violations += try duplicates(among: alike, view)
      row = [UInt8](copying: columns)
      isNil = unique.uniqueness == .nilsDiffer && RowKey.hasNil(columns)
      alike = isNil ? [] : [uuid]
      return violations.count < limit
    }
    if violations.count < limit { violations += try duplicates(among: alike, view) }
    return Array(violations.prefix(limit))
  }

  /// The violation of an object that has the same values as another one. `nil` if there is no other. O(log n).
  func violation(of uuid: UniqueID, _ view: View) throws(StorageError) -> RuleViolation? {
    guard let columns = try columns(of: uuid, view), let key = unique.key(columns) else { return nil }
    let others = try CountedIndex(number: unique.number, table: tables.indexes)
      .objects(beginningWith: key.row.span.bytes, in: view)
    for other in others where other != uuid {
      if key.isShortened, try self.columns(of: other, view).flatMap({ unique.key($0) }) != key { continue }
      let name = EntityName(entity.name)
      return RuleViolation(
        object: AnyObjectID(name, uuid), properties: unique.properties, values: columns,
        rule: .unique(heldBy: AnyObjectID(name, other)))
    }
    return nil
  }

  private func duplicates(among alike: [UniqueID], _ view: View) throws(StorageError) -> [RuleViolation] {
    if alike.count < 2 { return [] }
    var found: [RuleViolation] = []
    var holders: [UniqueKey: UniqueID] = [:]
    let name = EntityName(entity.name)
    for uuid in alike {
      let columns = try columns(of: uuid, view)
      guard let columns, let key = unique.key(columns) else { continue }
      guard let holder = holders[key] else {
        holders[key] = uuid
        continue
      }
      found.append(
        RuleViolation(
          object: AnyObjectID(name, uuid), properties: unique.properties, values: columns,
          rule: .unique(heldBy: AnyObjectID(name, holder))))
    }
    return found
  }

  private func columns(of uuid: UniqueID, _ view: View) throws(StorageError) -> [PropertyValue]? {
    try ObjectTable(tables).withRecord(ObjectKey(entity: entity.number, uuid: uuid), entity.name, view) {
      (record) throws(MalformedBytes) in try unique.index.values(in: record.fields)
    }
  }
}
