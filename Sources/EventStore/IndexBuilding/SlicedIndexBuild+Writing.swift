import RepriseLMDB
import RepriseLog
import RepriseObjectModel
import RepriseSystem

// The short commits of a build.

extension SlicedIndexBuild {
  /// Removes the rows under an earlier number. When there are none, gives the index another number, and begins.
  func begin() throws(StoreError) {
    let known = state
    state = try commit { (transaction) throws(StoreError) -> IndexBuildState? in
      try StoreError.converting { () throws(StorageError) in
        let view = transaction.view
        let builds = try meta.indexBuilds(view)
        let stored = builds[target.property]
        guard stored == known else { return stored }
        let schema = try meta.schema(view)
        if let stored, try !isRemoved(stored.index, schema, transaction) { return stored }
        let numbers = schema.entities.flatMap(\.properties).compactMap(\.index) + builds.values.map(\.index)
        let state = IndexBuildState(
          index: IndexBuildState.number(behind: numbers), orders: described(schema)?.property.orders ?? [],
          mark: LogMark(position: try log.lastPosition(view)))
        try meta.put(state, of: target.property, transaction)
        return state
      }
    }
    (batch, logged) = (nil, nil)
  }

  func remove(_ known: IndexBuildState) throws(StoreError) {
    try commit { (transaction) throws(StoreError) in
      try StoreError.converting { () throws(StorageError) in
        let schema = try meta.schema(transaction.view)
        guard try meta.indexBuild(target.property, transaction.view) == known else { return }
        if try isRemoved(known.index, schema, transaction) { try meta.put(nil, of: target.property, transaction) }
      }
    }
  }

  /// Removes some rows under a number. True if there are none, or if the number is another index's by now.
  private func isRemoved(
    _ number: UInt32, _ schema: StoredSchema, _ transaction: borrowing WriteTransaction
  ) throws(StorageError) -> Bool {
    if schema.entities.contains(where: { $0.properties.contains { $0.index == number } }) { return true }
    return try IndexBuilder(tables: tables).removeSome(of: number, limit: limit, transaction)
  }

  func write(_ next: IndexBuildState, insteadOf known: IndexBuildState) throws(StoreError) {
    try commit { (transaction) throws(StoreError) in
      try StoreError.converting { () throws(StorageError) in
        guard try meta.indexBuild(target.property, transaction.view) == known else { return }
        try meta.put(next, of: target.property, transaction)
      }
    }
    forget()
  }

  func write(_ slice: Slice) throws(StoreError) {
    let known = state
    var worked: UInt64 = 0
    let isWritten = try commit { (transaction) throws(StoreError) in
      try StoreError.converting { () throws(StorageError) in
        let begun = WakeUp.now()
        defer { worked = WakeUp.now() - begun }
        guard try isStill(known, transaction.view) else { return false }
        try CountedIndex(number: slice.state.index, table: tables.indexes).apply(slice.changes, in: transaction)
        try meta.put(slice.state, of: target.property, transaction)
        return true
      }
    }
    guard isWritten else { return forget() }
    state = slice.state
    if slice.endsBatch { batch = nil }
    if worked > options.nanoseconds {
      limit = max(min(64, options.rows), limit / 2)
    } else if worked < options.nanoseconds / 2 {
      limit = min(max(options.mostRows, options.rows), limit * 2)
    }
  }

  /// Whether the build is unchanged: no other process has continued it, or sorted the index in another order.
  func isStill(_ known: IndexBuildState?, _ view: borrowing View) throws(StorageError) -> Bool {
    let schema = try meta.schema(view)
    guard !target.isReady(in: schema), try meta.indexBuild(target.property, view) == known,
      let (_, property) = described(schema)
    else { return false }
    if let other = try meta.outdated(property.localeCollations, view).first {
      throw .foreignOrder(locale: other.locale.string, StorageError.Site(.decode, tables.meta.path))
    }
    return true
  }
}
