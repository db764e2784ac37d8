import RepriseLMDB
import RepriseObjectModel

/// Opens the files of a store, creating them if there are none, and extends the stored schema to the models.
struct StoreOpener {
  let path: String
  let models: ResolvedSchema
  let options: StoreOptions
  let run: OpeningRun
  /// Whether it opens a copy, of which nothing need be tried before it is done.
  private let isRehearsal: Bool

  init(path: String, models: ResolvedSchema, options: StoreOptions, isRehearsal: Bool = false) {
    self.path = path
    self.models = models
    self.options = options
    self.isRehearsal = isRehearsal
    run = options.run ?? OpeningRun()
  }

  /// False if something must be written and `writing` is false: then the store is as it was.
  func open(_ store: Store, writing: Bool) throws(StoreError) -> Bool {
    let place = try StoreDirectory.requireStoreOrEmpty(path, options.access)
    // Making the files may wait for another process that makes them.
    if place.isNew, !writing { return false }
    guard let environment = try environment(place, writing: writing) else { return false }
    do throws(StoreError) {
      guard try open(store, environment, writing, isNew: place.isNew) else {
        environment.close()
        return false
      }
      return true
    } catch {
      store.scenes.endLendingUnlessUsed()
      environment.close()
      // Searches for duplicates know the store's schema alone.
      if case .violations(let violations) = error { throw .violations(violations.map { $0.typed(by: models) }) }
      throw error
    }
  }

  /// `nil` if the file has no tables yet and `writing` is false.
  private func environment(_ place: StoreDirectory.Place, writing: Bool) throws(StoreError) -> Environment? {
    let durability = options.isUnflushed ? .unflushed : options.durability.environmentDurability
    var settings = Self.settings(durability, place.access, checksStructure: options.checksStructure)
    if let mapSize = options.mapSize { settings.mapSize = mapSize }
    settings.isUnfinished = place.isNew
    settings.makesTables = writing
    settings.writerTimeout = options.writerTimeout
    do throws(StorageError) {
      return try Environment.open(directory: path, settings) { run.isCancelled }
    } catch {
      if case .tableMissing = error, !writing { return nil }
      throw StoreError(error)
    }
  }

  static func environment(
    _ path: String, _ durability: Environment.Durability, _ access: StoreAccess, checksStructure: Bool
  ) throws(StoreError) -> Environment {
    let settings = settings(durability, access, checksStructure: checksStructure)
    return try StoreError.converting { () throws(StorageError) in
      try Environment.open(directory: path, settings)
    }
  }

  private static func settings(
    _ durability: Environment.Durability, _ access: StoreAccess, checksStructure: Bool
  ) -> Environment.Options {
    var settings = Environment.Options(tables: StoreTables.names)
    settings.lateTables = StoreTables.lateNames
    settings.tellingRow = RowName(table: "meta", key: MetaKey.head)
    settings.addsTables = false
    settings.durability = durability
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
    guard let settled = try settle(environment, tables, facts, writing: writing) else { return false }
    facts = settled.facts
    let map = SchemaMap(settled.models, facts.schema)
    let journal = try journal(of: store, map, environment, tables, logID: facts.logID)
    // Closed by somebody while it was opened.
    if store.isClosed { throw .closed(path: path) }
    // What is saved from now on must not be taken for unfinished.
    if isNew { StoreDirectory.finish(path) }
    let window = VersionWindow(head: facts.head, transactionID: facts.transactionID, budget: options.windowBudget)
    store.drafts.knowHash(facts.hash.words.0, at: facts.head)
    store.begin(StoreFiles(environment, logID: facts.logID, window: window, journal: journal), map)
    store.journals.checkpointWhenDue()
    let unbuilt = settled.reconciliation.unbuiltIndexes.filter { !$0.isRequired } + facts.needlessBuilds
    if !unbuilt.isEmpty { store.indexing.start(unbuilt, of: store, options.indexing) }
    if facts.isCleaningNeeded { store.cleaning.startCleaning(store, after: options.cleaningDelay) }
    store.others.begin(store)
    store.headMoved()
    return true
  }

  /// A store in the form of the models.
  private struct Settled {
    let facts: Facts
    let models: ResolvedSchema
    let reconciliation: SchemaReconciliation
  }

  /// Leads the store to the form of the models, by migrations and what the models add. `nil` if something must be
  /// written and `writing` is false.
  private func settle(
    _ environment: Environment, _ tables: StoreTables, _ found: Facts, writing: Bool
  ) throws(StoreError) -> Settled? {
    var facts = found
    if let plan = options.migration, facts.isMigrating || facts.schema.version < plan.version {
      guard writing else { return nil }
      var store = MigratedStore(
        path: path, environment: environment, models: models, run: run, isStrict: options.isStrict)
      store.writerTimeout = options.writerTimeout
      store.checksRenames = options.checksRenames
      if !isRehearsal { store.rehearse = { () throws(StoreError) in try rehearse(environment) } }
      try plan.migrate(plan, store)
      guard let again = try self.facts(environment, tables) else {
        throw .notAStore(path: path, reason: "it has no log")
      }
      facts = again
    } else if facts.isMigrating {
      throw .migration(.unfinished(version: Int(facts.schema.version)))
    }
    try facts.schema.requireKnownLocales()
    if facts.hasOutdatedOrders {
      guard writing else { return nil }
      try extendSchema(environment, tables, facts.logID)
      guard let again = try self.facts(environment, tables) else {
        throw .notAStore(path: path, reason: "it has no log")
      }
      facts = again
    }
    var models = try models.following(facts.schema)
    var reconciliation = try reconcile(models, facts.schema, environment, tables)
    if options.isStrict {
      let warnings = reconciliation.schema.warnings(for: models)
      if !warnings.isEmpty { throw .notInModels(warnings) }
    }
    if options.checksRenames, !reconciliation.possibleRenames.isEmpty {
      throw .possibleRenames(reconciliation.possibleRenames)
    }
    let underived = try outdatedDerivations(models, facts.schema, environment, tables)
    if !reconciliation.isEmpty || !underived.isEmpty {
      guard writing else { return nil }
      try fill(underived, environment, tables, facts.logID)
      try extendSchema(environment, tables, facts.logID)
      guard let again = try self.facts(environment, tables) else {
        throw .notAStore(path: path, reason: "it has no log")
      }
      facts = again
      models = try self.models.following(facts.schema)
      reconciliation = try reconcile(models, facts.schema, environment, tables)
    }
    let required = reconciliation.unbuiltIndexes.filter(\.isRequired)
    if !required.isEmpty {
      guard writing else { return nil }
      try IndexBuilds(
        required, path, environment, tables, logID: facts.logID, options.indexing, unless: { run.isCancelled }
      )
      .finish(run, waiting: options.writerTimeout)
      guard let again = try self.facts(environment, tables) else {
        throw .notAStore(path: path, reason: "it has no log")
      }
      facts = again
    }
    return Settled(facts: facts, models: models, reconciliation: reconciliation)
  }

  /// Does to a copy of the store what the opening does to it, and throws why that is refused.
  func settle(copy environment: Environment) throws(StoreError) {
    let tables = StoreTables(environment)
    guard let facts = try facts(environment, tables) else { throw .notAStore(path: path, reason: "it has no log") }
    _ = try settle(environment, tables, facts, writing: true)
  }

  /// A store's metadata and head.
  private final class Facts {
    let logID: UniqueID
    let order: UInt32
    let schema: StoredSchema
    /// Whether a migration has begun and not ended.
    let isMigrating: Bool
    /// Indexes that were being built and are there, or that no model can have any more.
    let needlessBuilds: [UnbuiltIndex]
    /// Whether the order of a locale in an index is not this program's.
    let hasOutdatedOrders: Bool
    /// Whether there may be transactions before the floor, or blobs that nobody needs.
    let isCleaningNeeded: Bool
    let head: Position
    let hash: Digest
    let transactionID: Int

    init(
      logID: UniqueID, order: UInt32, schema: StoredSchema, isMigrating: Bool, needlessBuilds: [UnbuiltIndex],
      hasOutdatedOrders: Bool, isCleaningNeeded: Bool, head: Position, hash: Digest, transactionID: Int
    ) {
      self.logID = logID
      self.order = order
      self.schema = schema
      self.isMigrating = isMigrating
      self.needlessBuilds = needlessBuilds
      self.hasOutdatedOrders = hasOutdatedOrders
      self.isCleaningNeeded = isCleaningNeeded
      self.head = head
      self.hash = hash
      self.transactionID = transactionID
    }
  }

  /// `nil` if nothing has been written to the environment yet.
  private func facts(_ environment: Environment, _ tables: StoreTables) throws(StoreError) -> Facts? {
    let facts = try StoreError.converting { () throws(StorageError) in
      try environment.read { (transaction) throws(StorageError) in
        let view = transaction.view
        let meta = MetaTable(tables.meta)
        if try meta.get(MetaKey.format, view) == nil {
          var entries = 0
          for table in [tables.meta, tables.log, tables.objects] { entries += try view.entryCount(table) }
          if entries == 0 { return Facts?.none }
        }
        let logID = try meta.logID(view)
        let order = try meta.requiredNumber(MetaKey.order, view)
        let log = LogTable(tables.log)
        let head = try log.lastPosition(view)
        // The clock may have been set back since.
        let end = try meta.requireEnd(head, of: log, view)
        UniqueID.note(end.greatestID)
        let schema = try meta.schema(view)
        return Facts(
          logID: logID, order: order, schema: schema,
          isMigrating: schema.version > 0 ? try meta.migration(view) != nil : false,
          needlessBuilds: try meta.needlessBuilds(schema, view),
          hasOutdatedOrders: try !meta.outdated(schema.localeCollations, view).isEmpty,
          isCleaningNeeded: try DroppedLog.isNeeded(tables, view) ? true : BlobCleaning.isNeeded(tables, view),
          head: head, hash: end.hash, transactionID: transaction.id)
      }
    }
    if let facts, facts.order != OrderKey.version {
      throw .collationVersionMismatch(path: path, found: facts.order, supported: OrderKey.version)
    }
    return facts
  }

  /// Makes the environment a store: writes its metadata, and the schema as the log's first transaction.
  private func create(_ environment: Environment, _ tables: StoreTables) throws(StoreError) {
    try environment.write(unless: { _ in run.isCancelled }) { (transaction) throws(StoreError) in
      let logID = UniqueID()
      let replica = UniqueID()
      let isNew = try StoreError.converting { () throws(StorageError) in
        let meta = MetaTable(tables.meta)
        // Another process may have created the store first.
        if try meta.get(MetaKey.format, transaction.view) != nil { return false }
        try meta.putFormat(transaction)
        try meta.put(MetaKey.log, MetaTable.bytes(logID), transaction)
        try meta.put(MetaKey.replica, MetaTable.bytes(replica), transaction)
        try meta.put(MetaKey.order, MetaTable.bytes(OrderKey.version), transaction)
        try meta.put(MetaKey.nameCount, MetaTable.bytes(UInt32(0)), transaction)
        try meta.put(StoredSchema(), transaction)
        try meta.put(LogHead(position: 0, hash: .zero, time: 0), transaction)
        return true
      }
      if isNew { try extendSchema(tables, logID, transaction, replica: replica) }
    }
  }

  private func extendSchema(
    _ environment: Environment, _ tables: StoreTables, _ logID: UniqueID
  ) throws(StoreError) {
    try environment.write(unless: { _ in run.isCancelled }) { (transaction) throws(StoreError) in
      try extendSchema(tables, logID, transaction, replica: nil)
    }
  }

  /// Stores what is derived in another way than these models do it, before anything relies on it: indexes over it are
  /// declared, and built afterwards.
  private func fill(
    _ outdated: [OutdatedDerivation], _ environment: Environment, _ tables: StoreTables, _ logID: UniqueID
  ) throws(StoreError) {
    if outdated.isEmpty { return }
    try extendSchema(environment, tables, logID)
    let schema = try StoreError.converting { () throws(StorageError) in
      try environment.read { (transaction) throws(StorageError) in
        try MetaTable(tables.meta).schema(transaction.view)
      }
    }
    let models = try models.following(schema)
    for outdated in outdated {
      try DerivationFill(outdated, models, path, environment, tables, logID: logID, options.indexing, run).finish()
    }
  }

  private func extendSchema(
    _ tables: StoreTables, _ logID: UniqueID, _ transaction: borrowing WriteTransaction, replica: UniqueID?
  ) throws(StoreError) {
    let (stored, outdated) = try StoreError.converting { () throws(StorageError) in
      let meta = MetaTable(tables.meta)
      let stored = try meta.schema(transaction.view)
      return (stored, try meta.outdated(stored.localeCollations, transaction.view))
    }
    try stored.requireKnownLocales()
    let models = try models.following(stored)
    let reconciliation = try reconcile(models, stored, tables, outdated, transaction.view)
    try renewOrders(of: stored, reconciliation, outdated, tables, transaction)
    if reconciliation.isEmpty { return }
    try StoreError.converting { () throws(StorageError) in
      var appender = try TransactionAppender(
        tables, logID: logID, map: SchemaMap(models, StoredSchema()), clock: options.wallClock, transaction.view)
      var schema = reconciliation.schema
      if replica != nil, let plan = options.migration {
        // A new store needs no migration.
        (schema.version, schema.oldestVersion) = (UInt32(plan.version), UInt32(plan.oldestVersion))
      }
      try appender.append(schema, transaction, replica: replica)
      try appender.finish(transaction)
      try IndexBuilder(tables: tables).remove(reconciliation.obsoleteIndexes, transaction)
      try IndexBuilder(tables: tables).build(reconciliation.newProperties, transaction)
      let meta = MetaTable(tables.meta)
      for (property, index) in reconciliation.renewedIndexes {
        let building = try meta.indexBuild(property, transaction.view)?.index
        guard let index = index ?? building else { continue }
        try meta.put(IndexBuildState(index: index, isClearing: true), of: property, transaction)
      }
      try meta.putCollators(of: reconciliation.schema.localeCollations, transaction)
      for entity in appender.map.all where entity.entity.derives {
        // There is nothing to be computed.
        if try meta.count(of: entity.number, transaction.view) == 0 { try meta.putDerivations(of: entity, transaction) }
      }
    }
    try checkUniqueness(of: reconciliation.newUniqueIndexes, tables, transaction.view)
  }
}

extension StoreOpener {
  private func reconcile(
    _ models: ResolvedSchema, _ stored: StoredSchema, _ environment: Environment, _ tables: StoreTables
  ) throws(StoreError) -> SchemaReconciliation {
    let reconciliation = try SchemaReconciliation(models, stored)
    // Most often.
    if reconciliation.isEmpty { return reconciliation }
    return try environment.read { (transaction) throws(StoreError) in
      try reconcile(models, stored, tables, [], transaction.view)
    }
  }

  private func outdatedDerivations(
    _ models: ResolvedSchema, _ stored: StoredSchema, _ environment: Environment, _ tables: StoreTables
  ) throws(StoreError) -> [OutdatedDerivation] {
    guard models.derives else { return [] }
    return try StoreError.converting { () throws(StorageError) in
      try environment.read { (transaction) throws(StorageError) in
        try MetaTable(tables.meta).outdatedDerivations(models, stored, transaction.view)
      }
    }
  }

  /// Leaves the indexes over large entities, and over what is not computed yet, to be built later.
  private func reconcile(
    _ models: ResolvedSchema, _ stored: StoredSchema, _ tables: StoreTables, _ outdated: [Collation],
    _ view: borrowing View
  ) throws(StoreError) -> SchemaReconciliation {
    let (large, taken, uncomputed) = try StoreError.converting { () throws(StorageError) in
      let meta = MetaTable(tables.meta)
      var large: Set<UInt32> = []
      for entity in stored.entities where try meta.count(of: entity.number, view) > options.indexing.atOnce {
        large.insert(entity.number)
      }
      return (
        large, try meta.indexBuilds(view).values.map(\.index), try meta.outdatedDerivations(models, stored, view)
      )
    }
    return try SchemaReconciliation(
      models, stored, large: large, taken: taken, outdated: outdated, uncomputed: uncomputed)
  }

  /// Brings the indexes into the orders of this program's locales, before it adds to them, but for those that are built
  /// anew in slices: of large entities, by the models that have them.
  private func renewOrders(
    of stored: StoredSchema, _ reconciliation: SchemaReconciliation, _ outdated: [Collation], _ tables: StoreTables,
    _ transaction: borrowing WriteTransaction
  ) throws(StoreError) {
    if outdated.isEmpty { return }
    var renewed: [(entity: StoredEntity, property: StoredProperty)] = []
    for entity in stored.entities {
      for property in entity.properties where property.localeCollations.contains(where: outdated.contains) {
        let next = reconciliation.schema.entity(number: entity.number)?.property(number: property.number)
        if next?.index == property.index { renewed.append((entity, property)) }
      }
    }
    try StoreError.converting { () throws(StorageError) in
      try IndexBuilder(tables: tables).renew(renewed, transaction)
      try MetaTable(tables.meta).putCollators(of: outdated, transaction)
    }
    try checkUniqueness(of: renewed, tables, transaction.view)
  }

  /// Throws the first objects of each index that are the same, so that nothing is written.
  func checkUniqueness(
    of indexes: [(entity: StoredEntity, property: StoredProperty)], _ tables: StoreTables, _ view: View
  ) throws(StoreError) {
    var violations: [RuleViolation] = []
    for (entity, property) in indexes {
      violations += try StoreError.converting { () throws(StorageError) in
        try DuplicateSearch(property, of: entity, tables)?.violations(limit: 10, view) ?? []
      }
    }
    if !violations.isEmpty { throw .violations(violations) }
  }
}
