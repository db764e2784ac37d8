import RepriseLMDB
import RepriseObjectModel

extension Migrator {
  /// Takes the slices that are left.
  func goOn(_ migration: Migration, _ state: MigrationState) throws(StoreError) {
    var state = state
    while state.current < state.running.count {
      try checkCancellation()
      let running = state.running[state.current]
      guard migration.conversions.indices.contains(running.conversion) else {
        throw .migration(.unfinished(version: migration.version))
      }
      let slice = try convert(migration.conversions[running.conversion], running, migration, state, from: state.next)
      run.progress?(
        MigrationProgress(
          migration: migration.name, version: migration.version, entity: slice.entity, property: slice.property,
          done: min(state.done + slice.count, slice.total), total: slice.total))
      state = slice.state
    }
    for running in state.running { try convertRest(running, migration, state) }
    for index in state.obsoleteIndexes {
      var isEmpty = false
      while !isEmpty {
        try checkCancellation()
        isEmpty = try StoreError.converting { () throws(StorageError) in
          try environment.write { (transaction) throws(StorageError) in
            try IndexBuilder(tables: tables).removeSome(of: index, transaction)
          }
        }
      }
    }
    try StoreError.converting { () throws(StorageError) in
      try environment.write { (transaction) throws(StorageError) in try meta.removeMigration(transaction) }
    }
  }
}
