import RepriseLMDB
import RepriseObjectModel

extension Verifier {
  /// Verifies that each index of the stored schema has exactly the rows of its objects, that no two objects are the
  /// same in a unique one, and that there are no other indexes.
  mutating func verifyIndexes(_ view: View) throws(StorageError) {
    var numbers: Set<UInt32> = []
    for entity in schema.entities {
      for property in entity.properties {
        guard var rows = IndexRows(property, of: entity) else { continue }
        numbers.insert(rows.number)
        let name = "\(entity.name).\(property.name)"
        do throws(StorageError) {
          try verify(&rows, property, of: entity, name, view)
        } catch {
          guard case .damagedRow(_, _, let reason, _) = error else { throw error }
          found("The index over \(name): \(reason).")
        }
      }
    }
    // A migration removes those that it made needless, in slices.
    if let migration = try? MetaTable(store.tables.meta).migration(view) {
      numbers.formUnion(migration.obsoleteIndexes)
    }
    try findOthers(than: numbers, view)
  }

  private mutating func verify(
    _ rows: inout IndexRows, _ property: StoredProperty, of entity: StoredEntity, _ name: String, _ view: View
  ) throws(StorageError) {
    let counted = rows.isCounted ? CountedIndex(number: rows.number, table: store.tables.indexes) : nil
    if let counted { for problem in try counted.verify(in: view) { found("The index over \(name): \(problem).") } }
    var expected = 0
    var next: UniqueID? = .zero
    while let first = next {
      do throws(StorageError) {
        next = try rows.add(objectsOf: entity, from: first, upTo: sliceBytes, store.objects, view)
      } catch {
        found(StoreError(error).description)
        next = nil
      }
      for source in try rows.lacking(store.tables.indexes, view) {
        found("The index over \(name) lacks a row for \(source).")
      }
      expected += rows.count
      rows.removeAll()
    }
    let plain = PlainIndex(number: rows.number, table: store.tables.indexes)
    let there = if let counted { try counted.count(in: view) } else { try plain.rowCount(in: view) }
    if let search = DuplicateSearch(property, of: entity, store.tables) {
      for violation in try search.violations(limit: 100, view) { found("A rule is broken: \(violation).") }
    }
    if there != expected { found("The index over \(name) has \(there) rows instead of \(expected).") }
    indexRows += there
  }

  /// Seeks from index to index, without visiting every row.
  private mutating func findOthers(than known: Set<UInt32>, _ view: View) throws(StorageError) {
    var cursor = try view.cursor(store.tables.indexes)
    var start: [UInt8] = [0]
    while let row = try cursor.seek(start.span.bytes) {
      let prefix = row.key.withUnsafeBytes { [UInt8]($0.prefix(4)) }
      let number = prefix.reduce(0) { $0 << 8 | UInt32($1) }
      if prefix.count < 4 || !known.contains(number) {
        found("The table 'indexes' has rows of an index \(number), which the schema does not have.")
      }
      guard prefix.count == 4 else { return }
      let (next, isBeyond) = number.addingReportingOverflow(1)
      if isBeyond { return }
      start = withUnsafeBytes(of: next.bigEndian) { [UInt8]($0) }
    }
  }
}
