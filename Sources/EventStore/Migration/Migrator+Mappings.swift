import RepriseLMDB
import RepriseLog
import RepriseObjectModel

extension Migrator {
  /// The arrangement of a migration's mappings for a schema.
  func arrangement(
    of migration: Migration, _ schema: StoredSchema, obsolete: [UInt32] = [], _ view: borrowing View
  ) throws(StoreError) -> MappingArrangement {
    let building = try StoreError.converting { () throws(StorageError) in
      try meta.indexBuilds(view).values.map(\.index)
    }
    var arrangement = MappingArrangement(migration, of: plan, models, schema, taken: obsolete + building)
    try arrangement.arrange()
    return arrangement
  }

  /// The first failures of a mapping, found without writing.
  ///
  /// - Parameter mapping: The index of the mapping in the migration. `nil` for all mappings.
  func failures(
    of mapping: Int? = nil, in migration: Migration, _ schema: StoredSchema, limit: Int
  ) throws(StoreError) -> [MigrationError] {
    var failures: [MigrationError] = []
    if migration.mappings.isEmpty { return [] }
    let arrangement = try environment.read { (transaction) throws(StoreError) in
      try self.arrangement(of: migration, schema, transaction.view)
    }
    for work in arrangement.works where work.kind != .delete && (mapping == nil || mapping == work.mapping) {
      if failures.count == limit { break }
      try forEachTrial(of: work, arrangement) { trial in
        if let failure = trial.failure { failures.append(failure) }
        return failures.count < limit
      }
    }
    return failures
  }

  /// Calls `body` with the outcome of a work for each object, until it returns false.
  func forEachTrial(
    of work: MigrationState.Work, _ arrangement: MappingArrangement, _ body: (MappingSlice.Trial) -> Bool
  ) throws(StoreError) {
    var next: UniqueID? = .zero
    while let first = next {
      try checkCancellation()
      // Short transactions, because a read transaction keeps pages from being reused.
      next = try environment.read { (transaction) throws(StoreError) in
        var slice = MappingSlice(
          arrangement.migration, arrangement.works, tables, models, arrangement.schema, isTrial: true)
        let (records, rest) = try slice.records(
          of: work.source, from: first, limit: 5 * sliceSize, bytes: sliceBytes, transaction.view)
        for record in records {
          if !body(try slice.trial(of: work, record, transaction.view)) { return nil }
        }
        return rest
      }
    }
  }

  /// Throws if an object saved since the trial cannot be mapped.
  func tryMappings(
    _ arrangement: MappingArrangement, _ changed: [UInt32: Set<UniqueID>], _ view: borrowing View
  ) throws(StoreError) {
    var slice = MappingSlice(
      arrangement.migration, arrangement.works, tables, models, arrangement.schema, isTrial: true)
    for work in arrangement.works where work.kind != .delete {
      for uuid in changed[work.source] ?? [] {
        let (records, _) = try slice.records(of: work.source, from: uuid, limit: 1, bytes: .max, view)
        guard let record = records.first, record.uuid == uuid else { continue }
        if let failure = try slice.trial(of: work, record, view).failure { throw .migration(failure) }
      }
    }
  }

  /// Carries out a work with the next objects, in one transaction.
  func map(
    _ work: MigrationState.Work, _ migration: Migration, _ state: MigrationState, from first: UniqueID,
    isSecond: Bool = false
  ) throws(StoreError) -> Slice {
    try environment.write(unless: isCancelled) { (transaction) throws(StoreError) in
      let schema = try StoreError.converting { () throws(StorageError) in try meta.schema(transaction.view) }
      guard let entity = schema.entity(number: work.source) else {
        throw .migration(.unfinished(version: migration.version))
      }
      var slice = MappingSlice(migration, state.works, tables, models, schema)
      var (records, rest) = try slice.records(
        of: work.source, from: first, limit: sliceSize / 2, bytes: sliceBytes, transaction.view)
      for (place, record) in records.enumerated() {
        // Computed values may be longer than the old ones.
        if slice.byteCount >= 2 * sliceBytes {
          (records, rest) = (Array(records[..<place]), record.uuid)
          break
        }
        try slice.add(work, record, transaction.view)
      }
      var next = state
      // In the second reading the state stays at the end.
      if !isSecond { next.advance(by: records.count, to: rest) }
      let total = try StoreError.converting { () throws(StorageError) in
        let total = try meta.count(of: work.source, transaction.view)
        var appender = try appender(slice.map, transaction.view)
        let request = SaveRequest(base: appender.head.position, name: migration.name, changes: [])
        _ = try appender.append(slice.plan, request, transaction)
        try appender.finish(transaction)
        try meta.put(next, transaction)
        // An entity that is removed has fewer objects after each slice.
        return entity.name.isEmpty ? total + state.done : max(total, state.done + records.count)
      }
      return Slice(
        state: next, rest: rest, entity: slice.id(.zero, entity.number).entity,
        property: migration.mappings.indices.contains(work.mapping) ? "\(migration.mappings[work.mapping])" : "",
        count: records.count, total: total)
    }
  }

  /// Carries out the rest of a work after the slices, like ``convertRest`` for a conversion.
  func mapRest(
    _ work: MigrationState.Work, _ migration: Migration, _ state: MigrationState
  ) throws(StoreError) {
    var next: UniqueID? = .zero
    while let first = next {
      try checkCancellation()
      var left: UniqueID?
      next = try environment.read { (transaction) throws(StoreError) in
        let schema = try StoreError.converting { () throws(StorageError) in try meta.schema(transaction.view) }
        var slice = MappingSlice(migration, state.works, tables, models, schema)
        let (records, rest) = try slice.records(
          of: work.source, from: first, limit: 5 * sliceSize, bytes: sliceBytes, transaction.view)
        for record in records where left == nil {
          try slice.add(work, record, transaction.view)
          if !slice.operations.isEmpty { left = record.uuid }
        }
        return rest
      }
      if let left { next = try map(work, migration, state, from: left, isSecond: true).rest }
    }
  }
}

extension MappingSlice {
  /// The operations for an object, or the reason why it cannot be mapped.
  typealias Trial = (operations: [SavePlan.Operation], failure: MigrationError?)

  fileprivate mutating func trial(
    of work: MigrationState.Work, _ record: Record, _ view: borrowing View
  ) throws(StoreError) -> Trial {
    defer { forgetOperations() }
    do throws(StoreError) {
      try add(work, record, view)
      return (operations, nil)
    } catch {
      guard case .migration(let failure) = error else { throw error }
      return ([], failure)
    }
  }
}
