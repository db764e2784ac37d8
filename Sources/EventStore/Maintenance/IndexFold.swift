import RepriseLMDB
import RepriseObjectModel

/// The rows that records have in all indexes of a stored schema.
struct IndexFold {
  private var indexes: [UInt32: [IndexRows]] = [:]

  init(_ schema: StoredSchema) {
    for entity in schema.entities { indexes[entity.number] = entity.properties.compactMap { IndexRows($0) } }
  }

  mutating func add(_ record: RecordReader, _ address: ObjectFold.Address) throws(MalformedBytes) {
    guard let place = indexes.index(forKey: address.entity) else { return }
    for index in indexes.values[place].indices { try indexes.values[place][index].add(record, address.uuid) }
  }

  /// Returns how many rows were added.
  consuming func write(_ table: Table, _ transaction: borrowing WriteTransaction) throws(IndexError) -> Int {
    var rows = 0
    // In the order of the table's keys.
    for index in indexes.values.flatMap({ $0 }).sorted(by: { $0.number < $1.number }) {
      rows += index.count
      try index.write(table, transaction)
    }
    return rows
  }
}
