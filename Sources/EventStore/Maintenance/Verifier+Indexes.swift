import RepriseLMDB
import RepriseObjectModel

extension Verifier {
  /// Verifies that each index of the stored schema has exactly the rows of its objects, and that there are no other
  /// indexes.
  mutating func verifyIndexes(_ view: View) throws(StorageError) {
    var numbers: Set<UInt32> = []
    for entity in schema.entities {
      for property in entity.properties {
        guard var rows = IndexRows(property, of: entity) else { continue }
        numbers.insert(rows.number)
        do throws(StorageError) {
          try rows.add(allOf: entity, store.objects, view)
        } catch {
          found(StoreError(error).description)
        }
        let name = "\(entity.name).\(property.name)"
        do throws(StorageError) {
          try verifyCounted(rows, name, view)
          try verifyPlain(rows, name, view)
        } catch {
          guard case .damagedRow(_, _, let reason, _) = error else { throw error }
          found("The index over \(name): \(reason).")
        }
      }
    }
    try findOthers(than: numbers, view)
  }

  private mutating func verifyCounted(_ expected: IndexRows, _ name: String, _ view: View) throws(StorageError) {
    guard expected.isCounted else { return }
    let index = CountedIndex(number: expected.number, table: store.tables.indexes)
    for problem in try index.verify(in: view) { found("The index over \(name): \(problem).") }
    let rows = try index.count(in: view)
    if rows != expected.count { found("The index over \(name) has \(rows) rows instead of \(expected.count).") }
    let lacking = try expected.lacking(store.tables.indexes, view)
    for _ in lacking { found("The index over \(name) lacks a row.") }
    indexRows += rows
  }

  private mutating func verifyPlain(_ expected: IndexRows, _ name: String, _ view: View) throws(StorageError) {
    if expected.isCounted { return }
    let index = PlainIndex(number: expected.number, table: store.tables.indexes)
    for source in try expected.lacking(store.tables.indexes, view) {
      found("The index over \(name) lacks a row for \(source).")
    }
    let rows = try index.rowCount(in: view)
    if rows != expected.count { found("The index over \(name) has \(rows) rows for \(expected.count) references.") }
    indexRows += rows
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
