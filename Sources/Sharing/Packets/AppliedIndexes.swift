import RepriseEventStore
import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// The indexes of a stored schema. Needs no models.
struct AppliedIndexes {
  private struct Entry {
    let index: StoredIndex
    let keepsHistory: Bool
  }

  /// By the number of the entity.
  private var entries: [UInt32: [Entry]] = [:]

  init(_ schema: StoredSchema) {
    for entity in schema.entities {
      for property in entity.properties {
        guard let index = StoredIndex(property, of: entity) else { continue }
        entries[entity.number, default: []].append(Entry(index: index, keepsHistory: property.keepsHistory))
      }
    }
  }

  /// Moves the rows of an object from its old record to the new one. `nil` has no rows.
  func move(
    _ object: ObjectAddress, from old: [UInt8]?, to new: [UInt8]?, at position: Position, _ tables: StoreTables,
    _ changes: inout CommitChanges, _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    for entry in entries[object.entity] ?? [] {
      let index = entry.index
      let (before, after): ([PropertyValue]?, [PropertyValue]?) = try tables.objects.parsing(
        ObjectKey(entity: object.entity, uuid: object.uuid).bytes, "the stored object \(object.uuid)"
      ) { () throws(MalformedBytes) in
        if let old, let new, try !index.differs(old, new) { return (nil, nil) }
        return (try index.values(of: old), try index.values(of: new))
      }
      if before == nil, after == nil { continue }
      if let kind = index.kind {
        let place = changes.place(of: index.number, keepsHistory: entry.keepsHistory, at: position)
        changes.indexes[place].replace(before, by: after, kind, object.uuid)
      } else {
        let rows = PlainIndex(number: index.number, table: tables.indexes)
        if let target = before?[0].reference {
          try rows.delete(target: target.uuid, source: object.uuid, in: transaction)
        }
        if let target = after?[0].reference {
          try rows.insert(target: target.uuid, source: object.uuid, in: transaction)
        }
      }
    }
  }
}

extension StoredIndex {
  fileprivate func values(of record: [UInt8]?) throws(MalformedBytes) -> [PropertyValue]? {
    try record?.lend { (bytes) throws(MalformedBytes) in try values(in: RecordReader(bytes).fields) }
  }

  /// Whether a column differs between two records.
  fileprivate func differs(_ old: [UInt8], _ new: [UInt8]) throws(MalformedBytes) -> Bool {
    try old.lend { (old) throws(MalformedBytes) in
      try new.lend { (new) throws(MalformedBytes) in
        let (old, new) = (try RecordReader(old).fields, try RecordReader(new).fields)
        for column in columns {
          let (before, after) = (try old.raw(column.number), try new.raw(column.number))
          if !(before ?? .noValue).isSame(as: after ?? .noValue) { return true }
        }
        return false
      }
    }
  }
}
