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
    for (property, state) in (try? MetaTable(store.tables.meta).indexBuilds(view)) ?? [:] {
      numbers.insert(state.index)
      if !state.isClearing { try verify(state, of: property, view) }
    }
    try findOthers(than: numbers, view)
  }

  /// Verifies that an index that is being built has exactly the rows that it should have so far.
  private mutating func verify(
    _ state: IndexBuildState, of number: UInt32, _ view: View
  ) throws(StorageError) {
    guard let entity = schema.entities.first(where: { $0.property(number: number) != nil }),
      var property = entity.property(number: number)
    else { return }
    property.index = state.index
    guard let index = StoredIndex(property, of: entity) else { return }
    let name = "\(entity.name).\(property.name), which is being built"
    do throws(StorageError) {
      let counted = CountedIndex(number: state.index, table: store.tables.indexes)
      for problem in try counted.verify(in: view) { found("The index over \(name): \(problem).") }
      var news = IndexNews(index, of: entity.number, from: state.mark)
      _ = try news.read(store.log, upTo: head, limit: .max, view)
      var changed: Set<UniqueID> = []
      var expected: [(uuid: UniqueID, key: [UInt8])] = []
      var count = 0
      func expect(_ keys: [[UInt8]], _ uuid: UniqueID) {
        for key in keys where state.has(key, of: uuid) { expected.append((uuid, key)) }
      }
      for change in try news.take(.max, store.objects, view) {
        changed.insert(change.uuid)
        expect(change.before, change.uuid)
      }
      var lacking: [UniqueID] = []
      func compare() throws(StorageError) {
        for row in expected where try view.get(store.tables.indexes, key: counted.key(0, row.key).span.bytes) == nil {
          lacking.append(row.uuid)
        }
        count += expected.count
        expected.removeAll(keepingCapacity: true)
      }
      try compare()
      var next: UniqueID? = .zero
      while let first = next {
        next = nil
        try store.objects.scanRecords(entity.number, entity.name, from: first, view) {
          (uuid, record) throws(MalformedBytes) in
          if expected.count >= 100_000 {
            next = uuid
            return false
          }
          if !changed.contains(uuid) { expect(index.storedRowKeys(try index.values(in: record.fields), uuid), uuid) }
          return true
        }
        try compare()
      }
      for uuid in lacking { found("The index over \(name) lacks a row for \(uuid).") }
      let there = try counted.count(in: view)
      if there != count { found("The index over \(name) has \(there) rows instead of \(count).") }
      indexRows += there
    } catch {
      guard case .damagedRow(_, _, let reason, _) = error else { throw error }
      found("The index over \(name): \(reason).")
    }
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
