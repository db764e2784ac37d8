import RepriseLMDB
import RepriseObjectModel

/// Fills the indexes of properties that got one when objects were there already.
struct IndexBuilder {
  let tables: StoreTables
  let path: String

  func build(
    _ properties: [(entity: StoredEntity, property: StoredProperty)], _ transaction: borrowing WriteTransaction
  ) throws(SaveFailure) {
    for (entity, property) in properties {
      guard var rows = IndexRows(property) else { continue }
      do throws(ReadFailure) {
        try rows.add(allOf: entity.number, ObjectTable(tables.objects, path: path), transaction.view)
      } catch {
        throw .damaged(error.storeError(path, "a record of \(entity.name)"))
      }
      do throws(IndexError) {
        try rows.write(tables.indexes, transaction)
      } catch {
        throw SaveFailure(error, path: path)
      }
    }
  }
}
