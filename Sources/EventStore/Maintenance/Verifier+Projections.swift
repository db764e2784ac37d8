import RepriseLMDB
import RepriseLog
import RepriseObjectModel

extension Verifier {
  /// Verifies that all rows can be read and belong to a projection, and that rows of installed projections follow from
  /// the log.
  mutating func verifyProjections(_ view: borrowing View) throws(StorageError) {
    do throws(StorageError) {
      let table = try ProjectionTable(store.tables, view)
      let states = try table.states(view)
      for problem in try table.rowProblems(view) { found(problem) }
      if Set(states.values.map(\.number)).count < states.count {
        found(.sharedProjectionNumber)
      }
      let strangers = try table.numbers(view).subtracting(states.values.map(\.number))
      for number in strangers.sorted() {
        found(.strayProjectionRows(number: number))
      }
      for (name, state) in states.sorted(by: { $0.key < $1.key }) where !state.isClearing {
        let installed = store.projections.all[name].flatMap { state.fits($0) ? $0.projection : nil }
        try verify(name, state, installed, table, view)
      }
    } catch {
      guard let reason = error.damage else { throw error }
      found(.table(ProjectionTable.name, reason: reason))
    }
  }

  private mutating func verify(
    _ name: String, _ state: ProjectionState, _ projection: (any LogProjection)?, _ table: ProjectionTable,
    _ view: borrowing View
  ) throws(StorageError) {
    if state.position > head {
      return found(.projectionAhead(name: name, state.position, last: head))
    }
    var expected: [Version: [PropertyValue]?]?
    // The transactions that the rows follow from may be dropped.
    if let projection, floor == nil { expected = try versions(projection, name, state, view) }
    var (wrong, formless) = (0, 0)
    try table.forEachVersion(state.number, from: [], isVersioned: state.keepsHistory, view) { key, version, value in
      let isOfLog = version.map { $0 > 0 && $0 <= state.position } ?? !state.keepsHistory
      if !RowCoding.isEncoded(key) || !isOfLog { formless += 1 }
      guard expected != nil else { return true }
      let found = expected?[Version(key: Array(key), position: version)]
      if found != .some(value) { wrong += 1 }
      expected?[Version(key: Array(key), position: version)] = nil
      return true
    }
    if formless > 0 { found(.projectionKeys(name: name, rows: formless)) }
    let missing = expected?.count ?? 0
    if wrong + missing > 0 {
      found(.otherProjectionRows(name: name, wrong: wrong, missing: missing))
    }
  }

  private struct Version: Hashable {
    let key: [UInt8]
    let position: Position?
  }

  /// The versions of rows that the log makes. `nil` if the projection fails.
  private mutating func versions(
    _ projection: any LogProjection, _ name: String, _ state: ProjectionState, _ view: borrowing View
  ) throws(StorageError) -> [Version: [PropertyValue]?]? {
    var versions: [Version: [PropertyValue]?] = [:]
    var rows = ProjectionRows(nil)
    let reader = TransactionReader(
      store.logID, store.files.log, MetaTable(store.tables.meta), store.map, projection.filter)
    let frames = store.files.log.reader(view)
    for position in Position(1)..<state.position + 1 {
      guard let transaction = try reader.transaction(at: position, frames) else { continue }
      do throws(ProjectionError) {
        try projection.take(transaction, name, &rows)
      } catch {
        found(.failedProjection(error))
        return nil
      }
      for (key, value) in rows.settle() {
        let version = Version(key: key, position: state.keepsHistory ? position : nil)
        // A removed row is no longer a row, but its removal is a version.
        if value == nil, !state.keepsHistory { versions[version] = nil } else { versions[version] = .some(value) }
      }
    }
    return versions
  }
}

extension ProjectionTable {
  /// The rows that are longer than a chunk, or have a key of no known form. A projection's keys do not show which rows
  /// are later chunks.
  func rowProblems(_ view: borrowing View) throws(StorageError) -> [StoreFinding] {
    var problems: [StoreFinding] = []
    let prefix = Self.prefix(0)
    var cursor = try view.cursor(rows.table)
    while let row = try cursor.next(), problems.count < 10 {
      let (size, limit) = (row.value.byteCount, ChunkedRows.chunkSize)
      row.key.withUnsafeBytes { key in
        if size > limit { problems.append(.longRow(table: Self.name, byteCount: size, limit: limit)) }
        if key.count > 4, !key.starts(with: prefix) || Self.isName(UnsafeRawBufferPointer(rebasing: key[4...])) {
          return
        }
        problems.append(.row(table: Self.name, problem: "a row of no known form", key: [UInt8](key)))
      }
    }
    return problems
  }
}
