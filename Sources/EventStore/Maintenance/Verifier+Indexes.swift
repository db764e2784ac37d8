import RepriseLMDB
import RepriseLog
import RepriseObjectModel

extension Verifier {
  /// Verifies that each index of the stored schema has exactly the rows of its objects, that no two objects are equal
  /// in a unique one, and that there are no other indexes.
  mutating func verifyIndexes(_ view: View) throws(StorageError) {
    var numbers: Set<UInt32> = []
    var counted: [UInt32: Bool] = [:]
    var histories: Set<UInt32> = []
    for entity in schema.entities {
      for property in entity.properties {
        guard var rows = IndexRows(property, of: entity) else { continue }
        numbers.insert(rows.number)
        if property.keepsHistory { histories.insert(rows.number) }
        counted[rows.number] = rows.isCounted
        let name = "\(entity.name).\(property.name)"
        do throws(StorageError) {
          try verify(&rows, property, of: entity, name, view)
        } catch {
          guard case .damagedRow(_, _, let reason, _) = error else { throw error }
          found(.index(name, reason: reason))
        }
      }
    }
    // A migration removes the indexes that it makes obsolete, in slices.
    if let migration = try? MetaTable(store.tables.meta).migration(view) {
      numbers.formUnion(migration.obsoleteIndexes)
    }
    for (property, state) in (try? MetaTable(store.tables.meta).indexBuilds(view)) ?? [:] {
      numbers.insert(state.index)
      if !state.isClearing { try verify(state, of: property, view) }
    }
    try verifyLevels(of: numbers, counted, histories, view)
    try verifyHistories(view)
  }

  /// Verifies that an index under construction has exactly the rows that it should have so far.
  private mutating func verify(
    _ state: IndexBuildState, of number: UInt32, _ view: View
  ) throws(StorageError) {
    guard let entity = schema.entities.first(where: { $0.property(number: number) != nil }),
      var property = entity.property(number: number)
    else { return }
    property.index = state.index
    guard let index = StoredIndex(property, of: entity) else { return }
    let name = "\(entity.name).\(property.name) (being built)"
    do throws(StorageError) {
      let counted = CountedIndex(number: state.index, table: store.tables.indexes)
      for problem in try counted.verify(in: view) { found(.index(name, reason: "\(problem)")) }
      var logged = LoggedIndexChanges(index, of: entity.number, from: state.mark)
      _ = try logged.read(store.files.log, upTo: head, limit: .max, view)
      var changed: Set<UniqueID> = []
      var expected: [(uuid: UniqueID, key: [UInt8])] = []
      var count = 0
      func expect(_ keys: [[UInt8]], _ uuid: UniqueID) {
        for key in keys where state.has(key, of: uuid) { expected.append((uuid, key)) }
      }
      for change in try logged.take(.max, store.files.objects, view) {
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
        try store.files.objects.scanRecords(entity.number, entity.name, from: first, view) {
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
      for uuid in lacking { found(.missingIndexRow(index: name, object: uuid)) }
      let there = try counted.count(in: view)
      if there != count { found(.indexRows(index: name, rows: there, expected: count)) }
      indexRows += there
    } catch {
      guard case .damagedRow(_, _, let reason, _) = error else { throw error }
      found(.index(name, reason: reason))
    }
  }

  private mutating func verify(
    _ rows: inout IndexRows, _ property: StoredProperty, of entity: StoredEntity, _ name: String, _ view: View
  ) throws(StorageError) {
    let counted = rows.isCounted ? CountedIndex(number: rows.number, table: store.tables.indexes) : nil
    if let counted { for problem in try counted.verify(in: view) { found(.index(name, reason: "\(problem)")) } }
    var expected = 0
    var next: UniqueID? = .zero
    while let first = next {
      do throws(StorageError) {
        next = try rows.add(objectsOf: entity, from: first, upTo: sliceBytes, store.files.objects, view)
      } catch {
        found(.index(name, reason: error.damage ?? error.reason))
        next = nil
      }
      for source in try rows.lacking(store.tables.indexes, view) {
        found(.missingIndexRow(index: name, object: source))
      }
      expected += rows.count
      rows.removeAll()
    }
    let plain = PlainIndex(number: rows.number, table: store.tables.indexes)
    let there = if let counted { try counted.count(in: view) } else { try plain.rowCount(in: view) }
    if let search = DuplicateSearch(property, of: entity, store.tables) {
      for violation in try search.violations(limit: 100, view) { found(.brokenRule(violation)) }
    }
    if there != expected { found(.indexRows(index: name, rows: there, expected: expected)) }
    indexRows += there
  }

  /// Verifies that there are no other indexes, and that the indexes of the schema have only their own levels. Seeks
  /// from level to level, without visiting every row.
  ///
  /// - Parameters:
  ///   - counted: For each index of the schema, whether it is counted, and so may have nodes above its rows.
  ///   - histories: The indexes that may have the level of a history.
  private mutating func verifyLevels(
    of known: Set<UInt32>, _ counted: [UInt32: Bool], _ histories: Set<UInt32>, _ view: View
  ) throws(StorageError) {
    var cursor = try view.cursor(store.tables.indexes)
    var start: [UInt8] = [0]
    var last: (number: UInt32, level: UInt8)?
    while let row = try cursor.seek(start.span.bytes) {
      let key = row.key.withUnsafeBytes { [UInt8]($0) }
      guard key.count > CountedIndex.prefixLength || key.count == CountedIndex.prefixLength && key[4] > 0 else {
        found(.row(table: "indexes", problem: "a row of no known form", key: key))
        start = key + [0]
        continue
      }
      let (number, level) = (key[..<4].reduce(0) { $0 << 8 | UInt32($1) }, key[4])
      if !known.contains(number) {
        found(.strayIndex(number))
      } else if level == IndexHistory.level, histories.contains(number) {
        // ``verifyHistories(_:)`` looks at its rows.
      } else if let counted = counted[number], level > 0 {
        let isNext = last.map { $0.number == number && $0.level == level - 1 } ?? false
        if !counted || !isNext { found(.strayLevel(index: number, level: level)) }
      }
      last = (number, level)
      guard let next = Array(key[..<CountedIndex.prefixLength]).nextOfItsLength else { return }
      start = next
    }
  }
}
