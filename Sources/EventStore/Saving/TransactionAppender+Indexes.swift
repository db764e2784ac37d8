import RepriseLMDB
import RepriseLog
import RepriseObjectModel

extension TransactionAppender {
  /// Updates an object's rows in its entity's indexes.
  mutating func index(
    _ operation: SavePlan.Operation, from old: ContiguousArray<PropertyValue>?,
    to new: ContiguousArray<PropertyValue>?, _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    let entity = operation.map
    let properties = entity.entity.properties
    for slot in entity.indexes.indices {
      guard let number = entity.indexes[slot], entity.numbers[slot] != 0 else { continue }
      if let old, let new, old[slot].isIdentical(to: new[slot]) { continue }
      if properties[slot].attribute == nil {
        try relate(operation.uuid, from: old?[slot], to: new?[slot], number, transaction)
      } else {
        changes.indexes[place(of: number, entity)].replace(old?[slot], by: new?[slot], operation.uuid)
      }
    }
    for index in entity.entity.indexes {
      guard let number = entity.indexes[index.slot] else { continue }
      if let old, let new, !index.differs(old, new) { continue }
      changes.indexes[place(of: number, entity)].replace(
        old.map { index.values($0) }, by: new.map { index.values($0) }, index.kind, operation.uuid)
    }
    for hidden in entity.hiddenIndexes { try index(operation, hidden.index, from: old, to: new, transaction) }
  }

  /// Updates an object's rows in an index that the model lacks. Columns that the model lacks, too, have the default
  /// value or no reference in a new object. They change only if a reference is emptied.
  private mutating func index(
    _ operation: SavePlan.Operation, _ index: StoredIndex, from old: ContiguousArray<PropertyValue>?,
    to new: ContiguousArray<PropertyValue>?, _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    let map = operation.map
    let slots = index.columns.map { map.slot($0.number) }
    if let old, let new {
      let isChanged = zip(index.columns, slots).contains { column, slot in
        slot.map { !old[$0].isIdentical(to: new[$0]) } ?? operation.cleared.contains(column.number)
      }
      if !isChanged { return }
    }
    let stored = try decoding(operation) { () throws(MalformedBytes) in
      try Self.withRecord(operation.record) { (record) throws(MalformedBytes) in try index.values(in: record?.fields) }
    }
    let before: [PropertyValue]? = old.map { old in
      zip(slots, stored).map { slot, value in slot.map { old[$0] } ?? value }
    }
    let after: [PropertyValue]? = new.map { new in
      index.columns.indices.map { place in
        if let slot = slots[place] { return new[slot] }
        return operation.cleared.contains(index.columns[place].number) ? .null : stored[place]
      }
    }
    if let kind = index.kind {
      changes.indexes[place(of: index.number, map)].replace(before, by: after, kind, operation.uuid)
    } else {
      try relate(operation.uuid, from: before?[0], to: after?[0], index.number, transaction)
    }
  }

  /// Writes without collecting changes, because the next save of the group reads the index.
  private func relate(
    _ source: UniqueID, from old: PropertyValue?, to new: PropertyValue?, _ number: UInt32,
    _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    let (old, new) = (old?.reference, new?.reference)
    if old == nil && new == nil { return }
    let index = PlainIndex(number: number, table: tables.indexes)
    if let old { try index.delete(target: old.uuid, source: source, in: transaction) }
    if let new { try index.insert(target: new.uuid, source: source, in: transaction) }
  }

  /// The place of an index among the changes, for changes of the transaction that is being appended.
  private mutating func place(of index: UInt32, _ entity: EntityMap) -> Int {
    changes.place(of: index, keepsHistory: entity.keepsHistory(index), at: head.position + 1)
  }
}
