import RepriseJournal
import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// Opens the files of a store, creating them if there are none, and extends the stored schema to the models.
struct StoreOpener {
  let path: String
  let models: ResolvedSchema
  private(set) var options: StoreOptions
  let run: OpeningRun
  /// Whether the store is a copy, whose plan is not rehearsed again.
  let isRehearsal: Bool

  init(path: String, models: ResolvedSchema, options: StoreOptions, isRehearsal: Bool = false) {
    self.path = path
    self.models = models
    self.options = options
    // The other machines build a new index in the commit that declares it.
    if options.sharing != nil { self.options.indexing.atOnce = .max }
    self.isRehearsal = isRehearsal
    run = options.run ?? OpeningRun()
  }

  /// Opens a store. False if something must be written and `writing` is false. The store is unchanged then.
  func open(_ store: Store, writing: Bool) throws(StoreError) -> Bool {
    let place = try StoreDirectory.requireStoreOrEmpty(path, options.access)
    // Creating the files may wait for another process that creates them.
    if place.isNew, !writing { return false }
    guard let environment = try environment(place, writing: writing) else { return false }
    do throws(StoreError) {
      guard try open(store, environment, writing, isNew: place.isNew) else {
        options.sharing?.stop(path)
        environment.close()
        return false
      }
      return true
    } catch {
      options.sharing?.stop(path)
      store.scenes.endLendingUnlessUsed()
      environment.close()
      // A search for duplicates knows only the stored schema, so the types of the models are added here.
      if case .violations(let violations) = error { throw .violations(violations.map { $0.typed(by: models) }) }
      throw error
    }
  }

  /// Whether an index keeps history, and does not have all of it. Looks into the store only if an index keeps history.
  private func lacksHistories(
    _ map: SchemaMap, _ environment: Environment, _ tables: StoreTables
  ) throws(StoreError) -> Bool {
    guard map.all.contains(where: { !$0.histories.isEmpty }) else { return false }
    return try StoreError.converting { () throws(StorageError) in
      try environment.read { (transaction) throws(StorageError) in
        try tables.unfinishedHistory(map.stored, transaction.view) != nil
      }
    }
  }

  /// `nil` if the file has no tables yet, or an interrupted commit must be repeated, and `writing` is false.
  private func environment(_ place: StoreDirectory.Place, writing: Bool) throws(StoreError) -> Environment? {
    var settings = Self.settings(place.access, checksStructure: options.checksStructure)
    settings.isUnflushed = options.isUnflushed
    if let mapSize = options.mapSize { settings.mapSize = mapSize }
    settings.isUnfinished = place.isNew
    settings.makesTables = writing
    settings.readOnly = options.isReadOnly
    settings.writerTimeout = options.writerTimeout
    do throws(StorageError) {
      return try Environment.open(directory: path, settings) { run.isCancelled }
    } catch {
      if case .tableMissing = error, !writing { return nil }
      throw StoreError(error)
    }
  }

  static func environment(
    _ path: String, _ access: StoreAccess, isUnflushed: Bool = false, isReadOnly: Bool = false, checksStructure: Bool
  ) throws(StoreError) -> Environment {
    var settings = settings(access, checksStructure: checksStructure)
    settings.isUnflushed = isUnflushed
    settings.readOnly = isReadOnly
    return try StoreError.converting { () throws(StorageError) in
      try Environment.open(directory: path, settings)
    }
  }

  private static func settings(_ access: StoreAccess, checksStructure: Bool) -> Environment.Options {
    var settings = Environment.Options(tables: StoreTables.names)
    settings.lazyTables = StoreTables.lazyNames
    settings.makesAfterImages = true
    settings.tellingRow = RowName(table: "meta", key: MetaKey.head)
    settings.addsTables = false
    settings.checksStructure = checksStructure
    settings.fileMode = UInt32(access.fileMode)
    return settings
  }

  private func open(
    _ store: Store, _ environment: Environment, _ writing: Bool, isNew: Bool
  ) throws(StoreError) -> Bool {
    try StoreError.converting(environment.bringToLight)
    let tables = StoreTables(environment)
    var facts = try facts(environment, tables)
    if facts == nil {
      guard writing else { return false }
      try create(environment, tables)
      facts = try self.facts(environment, tables)
    }
    guard var facts else { throw .notAStore(path: path, reason: "it has no log") }
    if isNew && !options.isUnflushed { try StoreDirectory.flushNames(path) }
    if writing && !isNew {
      removeLeftRehearsal()
      try lendToScenes(store, environment, logID: facts.logID)
    }
    if let sharing = options.sharing {
      guard writing else { return false }
      try sharing.begin(
        SharedStore(
          path: path, environment: environment, tables: tables, logID: facts.logID, keyframes: options.keyframes))
      facts = try requiredFacts(environment, tables)
    }
    guard let settled = try settle(environment, tables, facts, writing: writing) else { return false }
    facts = settled.facts
    let map = SchemaMap(settled.models, facts.schema)
    let lacksHistories = try lacksHistories(map, environment, tables)
    let journal =
      options.isReadOnly
      ? .reading(directory: path + "/journals", claims: path + "/data.mdb", log: facts.logID, tables)
      : try journal(of: store, map, environment, tables, logID: facts.logID)
    // The program may have closed the store while it was being opened.
    if store.isClosed { throw .closed(path: path) }
    // From now on the store may have saves, so the mark of an unfinished store must go.
    if isNew { StoreDirectory.finish(path) }
    let window = VersionWindow(head: facts.head, transactionID: facts.transactionID, budget: options.windowBudget)
    store.drafts.knowHash(facts.hash.words.0, at: facts.head)
    store.begin(
      StoreFiles(environment, logID: facts.logID, window: window, journal: journal, sharing: options.sharing), map)
    if options.isReadOnly {
      store.others.begin(store)
      return true
    }
    store.journals.checkpointWhenDue()
    // A shared store builds each index in the commit that declares it.
    let unbuilt =
      options.sharing == nil
      ? settled.reconciliation.unbuiltIndexes.filter { !$0.isRequired } + facts.needlessBuilds : []
    if !unbuilt.isEmpty || lacksHistories { store.indexing.start(unbuilt, of: store, options.indexing) }
    if facts.isCleaningNeeded { store.cleaning.startCleaning(store, after: options.cleaningDelay) }
    store.others.begin(store)
    store.headMoved()
    options.sharing?.didOpen(store)
    return true
  }
}
