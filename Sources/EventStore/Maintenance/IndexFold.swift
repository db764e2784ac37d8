import RepriseLMDB
import RepriseObjectModel

/// The rows that records have in all indexes of a stored schema.
struct IndexFold {
  /// In the order of the table's keys.
  private var indexes: [(entity: UInt32, rows: IndexRows)] = []
  /// How many rows were written.
  private(set) var count = 0

  init(_ schema: StoredSchema) {
    for entity in schema.entities {
      for property in entity.properties {
        if let rows = IndexRows(property) { indexes.append((entity.number, rows)) }
      }
    }
    indexes.sort { $0.rows.number < $1.rows.number }
  }

  /// What they take in memory.
  var byteCount: Int { indexes.reduce(0) { $0 + $1.rows.byteCount } }

  mutating func add(_ record: RecordReader, _ address: ObjectFold.Address) throws(MalformedBytes) {
    for place in indexes.indices where indexes[place].entity == address.entity {
      try indexes[place].rows.add(record, address.uuid)
    }
  }

  /// Writes the rows that there are. The more at a time, the better: the first of an index are written in their order,
  /// the others come between them.
  mutating func write(_ table: Table, _ transaction: borrowing WriteTransaction) throws(StorageError) {
    for place in indexes.indices {
      count += indexes[place].rows.count
      try indexes[place].rows.write(table, transaction)
    }
  }
}
