import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// The rows of records in all indexes of a stored schema.
struct IndexFold {
  /// In the order of the table's keys.
  private var indexes: [(entity: UInt32, rows: IndexRows)] = []
  /// The number of rows written.
  private(set) var count = 0

  init(_ schema: StoredSchema) {
    for entity in schema.entities {
      for property in entity.properties {
        // An index in an unknown locale's order is left for a program that knows the order.
        guard property.localeCollations.allSatisfy(\.isKnown) else { continue }
        if let rows = IndexRows(property, of: entity) { indexes.append((entity.number, rows)) }
      }
    }
    indexes.sort { $0.rows.number < $1.rows.number }
  }

  /// The size in memory.
  var byteCount: Int { indexes.reduce(0) { $0 + $1.rows.byteCount } }

  mutating func add(_ record: RecordReader, _ address: ObjectAddress) throws(MalformedBytes) {
    for place in indexes.indices where indexes[place].entity == address.entity {
      try indexes[place].rows.add(record, address.uuid)
    }
  }

  /// Writes the rows collected so far. Fewer writes are faster: the first rows of an index are bulk-loaded in order,
  /// later ones are inserted between them.
  mutating func write(_ table: Table, _ transaction: borrowing WriteTransaction) throws(StorageError) {
    for place in indexes.indices {
      count += indexes[place].rows.count
      try indexes[place].rows.write(table, transaction)
    }
  }
}
