import RepriseLMDB
import RepriseObjectModel

/// Fills the indexes of properties that got one when objects were there already.
struct IndexBuilder {
  let tables: StoreTables
  let path: String
  let map: SchemaMap

  func build(
    _ properties: [(entity: UInt32, property: StoredProperty)], _ transaction: borrowing WriteTransaction
  ) throws(SaveFailure) {
    for (number, property) in properties {
      guard let index = property.index, case .attribute = property.role, let entity = map.map(number: number),
        let slot = entity.slot(property.number)
      else { continue }
      var changes: [IndexChange] = []
      do throws(StoreError) {
        try ObjectTable(tables.objects, path: path).forEach(entity, map, transaction.view) { uuid, values in
          changes.append(.insert(RowKey.bytes(values[slot], uuid)))
        }
      } catch {
        throw .damaged(error)
      }
      do throws(IndexError) {
        try CountedIndex(number: index, table: tables.indexes).apply(changes, in: transaction)
      } catch {
        throw SaveFailure(error, path: path)
      }
    }
  }
}
