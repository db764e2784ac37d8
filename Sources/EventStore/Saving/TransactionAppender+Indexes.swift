import RepriseLMDB
import RepriseObjectModel

extension TransactionAppender {
  /// Updates an object's rows in its entity's indexes.
  mutating func index(
    _ operation: SavePlan.Operation, from old: ContiguousArray<PropertyValue>?,
    to new: ContiguousArray<PropertyValue>?, _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    let entity = operation.map
    for slot in entity.indexes.indices {
      guard let number = entity.indexes[slot], entity.numbers[slot] != 0 else { continue }
      if let old, let new, old[slot].isIdentical(to: new[slot]) { continue }
      if entity.entity.properties[slot].attribute == nil {
        try relate(operation.uuid, from: old?[slot], to: new?[slot], number, transaction)
      } else {
        countedChanges[number, default: IndexChanges(index: number)]
          .replace(old?[slot], by: new?[slot], operation.uuid)
      }
    }
    for property in entity.hiddenIndexes
    where (old == nil) != (new == nil) || operation.cleared.contains(property.number) {
      try indexHidden(operation, property, transaction)
    }
  }

  /// Indexes a property that the model lacks, for an insertion, a deletion or an emptied reference. A new object has
  /// the default value, or no reference.
  private mutating func indexHidden(
    _ operation: SavePlan.Operation, _ property: StoredProperty, _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    guard let number = property.index else { return }
    let uuid = operation.uuid
    let value = try decoding(operation) { () throws(MalformedBytes) -> PropertyValue in
      try Self.withRecord(operation.record) { (record) throws(MalformedBytes) in
        guard let raw = try record?.fields.raw(property.number) else { return property.defaultValue }
        var reader = ByteReader(raw)
        return try reader.value(map)
      }
    }
    let isInsert = operation.record == nil
    if case .attribute = property.role {
      countedChanges[number, default: IndexChanges(index: number)]
        .replace(isInsert ? nil : value, by: isInsert ? value : nil, uuid)
    } else {
      try relate(uuid, from: isInsert ? nil : value, to: nil, number, transaction)
    }
  }

  /// Written at once, because the next save of the group reads it.
  private func relate(
    _ source: UniqueID, from old: PropertyValue?, to new: PropertyValue?, _ number: UInt32,
    _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    let index = PlainIndex(number: number, table: tables.indexes)
    if let target = old?.reference { try index.delete(target: target.uuid, source: source, in: transaction) }
    if let target = new?.reference { try index.insert(target: target.uuid, source: source, in: transaction) }
  }
}
