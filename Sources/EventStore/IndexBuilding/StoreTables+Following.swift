import RepriseLMDB
import RepriseLog
import RepriseObjectModel

extension StoreTables {
  /// Follows a schema that another replica has made: empties removed indexes, and fills new ones.
  ///
  /// Reads the objects of the entities that have a new index, in one commit.
  package func follow(
    _ next: StoredSchema, after known: StoredSchema, _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    let old = Set(known.entities.flatMap(\.properties).compactMap(\.index))
    var new: [(entity: StoredEntity, property: StoredProperty)] = []
    var kept: Set<UInt32> = []
    for entity in next.entities {
      for property in entity.properties {
        guard let number = property.index else { continue }
        kept.insert(number)
        let before = known.entity(number: entity.number)?.property(number: property.number)
        if before?.index != number { new.append((entity, property)) }
      }
    }
    let builder = IndexBuilder(tables: self)
    // A program that shared the store before may have begun to build an index with the same number.
    try builder.remove(old.subtracting(kept).sorted() + new.compactMap(\.property.index), transaction)
    try builder.build(new, transaction)
    try beginHistories(next, after: known, atOnce: .max, transaction)
    let added = next.localeCollations.filter { !known.localeCollations.contains($0) }
    try MetaTable(meta).putCollators(of: added, transaction)
  }
}
