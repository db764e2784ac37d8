import RepriseLMDB
import RepriseObjectModel

/// Fills new indexes with the objects that already exist.
struct IndexBuilder {
  let tables: StoreTables

  func build(
    _ properties: [(entity: StoredEntity, property: StoredProperty)], _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    for (entity, property) in properties {
      guard var rows = IndexRows(property, of: entity) else { continue }
      try rows.add(allOf: entity, ObjectTable(tables.objects), transaction.view)
      try rows.write(tables.indexes, transaction)
    }
  }
}
