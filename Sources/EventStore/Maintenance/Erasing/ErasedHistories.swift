import RepriseLMDB
import RepriseLog

/// The histories of indexes that an erasure removes, because an erased value may be in the key of a past row. The next
/// opening begins these histories again, at the head.
struct ErasedHistories {
  /// The numbers of the indexes.
  private let indexes: Set<UInt32>

  /// - Parameter erased: The objects, with the numbers of the erased properties. `nil` for all properties.
  init(_ erased: [ObjectAddress: Set<UInt32>?], _ schema: StoredSchema) {
    var indexes: Set<UInt32> = []
    for (address, properties) in erased {
      guard let entity = schema.entity(number: address.entity) else { continue }
      for property in entity.properties where property.keepsHistory {
        guard let index = StoredIndex(property, of: entity) else { continue }
        if properties.map({ properties in index.columns.contains { properties.contains($0.number) } }) ?? true {
          indexes.insert(index.number)
        }
      }
    }
    self.indexes = indexes
  }

  /// Copies the other rows of the table `indexes`.
  func copyOthers(
    of table: borrowing TableRewrite, _ view: borrowing View, to transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    if indexes.isEmpty { return try table.copyRows(view, to: transaction) }
    try table.copyRows(view, to: transaction) { key in
      IndexHistory.number(ofRow: key).map { !indexes.contains($0) } ?? true
    }
  }
}
