import RepriseLMDB
import RepriseLog
import RepriseObjectModel

extension Migrator {
  /// Runs the remaining slices.
  func goOn(_ migration: Migration, _ state: MigrationState) throws(StoreError) {
    var state = state
    while state.current < state.running.count + state.works.count {
      try checkCancellation()
      let slice = try slice(migration, state)
      run.progress?(
        MigrationProgress(
          .migration, migration: migration.name, version: migration.version, entity: slice.entity,
          property: slice.property, done: min(state.done + slice.count, slice.total), total: slice.total))
      state = slice.state
    }
    for running in state.running { try convertRest(running, migration, state) }
    for work in state.works { try mapRest(work, migration, state) }
    for index in state.obsoleteIndexes {
      var isEmpty = false
      while !isEmpty {
        try checkCancellation()
        isEmpty = try StoreError.converting { () throws(StorageError) in
          try environment.write(unless: isCancelled) { (transaction) throws(StorageError) in
            try IndexBuilder(tables: tables).removeSome(of: index, transaction)
          }
        }
      }
    }
    try StoreError.converting { () throws(StorageError) in
      try environment.write(unless: isCancelled) { (transaction) throws(StorageError) in
        try meta.removeMigration(transaction)
      }
    }
  }

  private func slice(_ migration: Migration, _ state: MigrationState) throws(StoreError) -> Slice {
    guard state.current < state.running.count else {
      return try map(state.works[state.current - state.running.count], migration, state, from: state.next)
    }
    let running = state.running[state.current]
    guard migration.conversions.indices.contains(running.conversion) else {
      throw .migration(.unfinished(version: migration.version))
    }
    return try convert(migration.conversions[running.conversion], running, migration, state, from: state.next)
  }

  /// Reports the progress of another process, if it has advanced.
  func tellOthersProgress(_ told: inout MigrationState?) throws(StoreError) {
    guard let progress = run.progress else { return }
    let (schema, state) = try read { (view) throws(StorageError) in (try meta.schema(view), try meta.migration(view)) }
    guard let state, told.map({ $0.isOlder(than: state) }) ?? true,
      let migration = plan.migrations.first(where: { $0.version == state.version })
    else { return }
    told = state
    let place = state.current - state.running.count
    if state.running.indices.contains(state.current) {
      let running = state.running[state.current]
      guard let entity = schema.entity(number: running.entity) else { return }
      progress(
        MigrationProgress(
          .migration, migration: migration.name, version: migration.version, entity: entity.name,
          property: entity.property(number: running.new)?.name ?? "", done: state.done, total: try count(of: entity)))
    } else if state.works.indices.contains(place), migration.mappings.indices.contains(state.works[place].mapping),
      let entity = schema.entity(number: state.works[place].source)
    {
      progress(
        MigrationProgress(
          .migration, migration: migration.name, version: migration.version, entity: entity.lastName,
          property: "\(migration.mappings[state.works[place].mapping])", done: state.done,
          total: try count(of: entity) + (entity.name.isEmpty ? state.done : 0)))
    }
  }
}
