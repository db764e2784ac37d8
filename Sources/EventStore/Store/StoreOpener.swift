import RepriseLMDB
import RepriseObjectModel

/// Opens the files of a store, makes them if there are none, and brings the stored schema up to the models.
struct StoreOpener {
  let path: String
  let models: ResolvedSchema
  let options: StoreOptions

  /// `nil` if it may not write and would have to.
  func open(writing: Bool) throws(StoreError) -> Store? {
    let place = try StoreDirectory.requireStoreOrEmpty(path, options.access)
    let environment = try Self.environment(
      path, options.isUnflushed ? .unflushed : options.durability.environmentDurability, place.access,
      isNew: place.isNew, checksStructure: options.checksStructure)
    do throws(StoreError) {
      guard let store = try open(environment, writing, isNew: place.isNew) else {
        environment.close()
        return nil
      }
      if place.isNew { StoreDirectory.finish(path) }
      return store
    } catch {
      environment.close()
      throw error
    }
  }

  static func environment(
    _ path: String, _ durability: Environment.Durability, _ access: StoreAccess, isNew: Bool = false,
    checksStructure: Bool
  ) throws(StoreError) -> Environment {
    var settings = Environment.Options(tables: StoreTables.names)
    settings.addsTables = false
    settings.durability = durability
    settings.isUnfinished = isNew
    settings.checksStructure = checksStructure
    settings.fileMode = UInt32(access.fileMode)
    do throws(StorageError) { return try Environment.open(directory: path, settings) } catch { throw StoreError(error) }
  }

  private func open(_ environment: Environment, _ writing: Bool, isNew: Bool) throws(StoreError) -> Store? {
    do throws(StorageError) { try environment.bringToLight() } catch { throw StoreError(error) }
    let tables = StoreTables(environment)
    var facts = try facts(environment, tables)
    if facts == nil {
      guard writing else { return nil }
      try create(environment, tables)
      facts = try self.facts(environment, tables)
    }
    guard var facts else { throw .notAStore(path: path, reason: "it has no log") }
    if isNew && !options.isUnflushed { try StoreDirectory.flushNames(path) }
    var reconciliation = try SchemaReconciliation(models, facts.schema)
    if !reconciliation.isEmpty {
      guard writing else { return nil }
      try extendSchema(environment, tables, facts.logID)
      guard let again = try self.facts(environment, tables) else {
        throw .notAStore(path: path, reason: "it has no log")
      }
      facts = again
      reconciliation = try SchemaReconciliation(models, facts.schema)
    }
    let map = SchemaMap(models, facts.schema)
    let journal = try Journal.open(path, logID: facts.logID, map: map, options: options.journal, environment, tables)
    let store = Store(
      path: path, durability: options.durability, environment: environment, logID: facts.logID, map: map,
      window: VersionWindow(
        head: facts.head, transactionID: facts.transactionID, budget: options.windowBudget), writer: LogWriter(),
      journal: journal)
    store.checkpointJournalWhenDue()
    return store
  }

  /// What a store says of itself.
  private final class Facts {
    let logID: UniqueID
    let schema: StoredSchema
    let head: Position
    let transactionID: Int

    init(logID: UniqueID, schema: StoredSchema, head: Position, transactionID: Int) {
      self.logID = logID
      self.schema = schema
      self.head = head
      self.transactionID = transactionID
    }
  }

  /// `nil` for an environment in which nothing was written yet.
  private func facts(_ environment: Environment, _ tables: StoreTables) throws(StoreError) -> Facts? {
    try environment.read { (transaction) throws(StoreError) -> Facts? in
      let view = transaction.view
      let meta = MetaTable(tables.meta, path: path)
      guard let format = try meta.number(MetaKey.format, view) else {
        var entries = 0
        do throws(StorageError) {
          for table in [tables.meta, tables.log, tables.objects] { entries += try view.entryCount(table) }
        } catch {
          throw StoreError(error)
        }
        if entries == 0 { return nil }
        throw StoreError.notAStore(path: path, reason: "its table 'meta' names no format")
      }
      guard format > 0 else { throw StoreError.notAStore(path: path, reason: "its table 'meta' names no format") }
      guard format <= Store.format else {
        throw StoreError.newerFormat(path: path, found: format, supported: Store.format)
      }
      guard let logID = try meta.uuid(MetaKey.log, view) else {
        throw StoreError.damaged(path: path, reason: "its table 'meta' names no log")
      }
      guard let order = try meta.number(MetaKey.order, view) else {
        throw StoreError.damaged(path: path, reason: "its table 'meta' names no order of the indexes")
      }
      guard order == OrderKey.version else {
        throw StoreError.otherOrder(path: path, found: order, supported: OrderKey.version)
      }
      let head = try LogTable(tables.log, path: path).lastPosition(view)
      try meta.head(view)?.require(head, path: path)
      return Facts(logID: logID, schema: try meta.schema(view), head: head, transactionID: transaction.id)
    }
  }

  /// Writes what makes an environment a store. The log begins with the schema.
  private func create(_ environment: Environment, _ tables: StoreTables) throws(StoreError) {
    do throws(SaveFailure) {
      try environment.write { (transaction) throws(SaveFailure) in
        let meta = MetaTable(tables.meta, path: path)
        do throws(StoreError) {
          // Another process may have been faster.
          if try meta.number(MetaKey.format, transaction.view) != nil { return }
        } catch {
          throw SaveFailure.damaged(error)
        }
        let logID = UniqueID()
        let replica = UniqueID()
        do throws(StorageError) {
          try meta.put(MetaKey.format, MetaTable.bytes(Store.format), transaction)
          try meta.put(MetaKey.log, MetaTable.bytes(logID), transaction)
          try meta.put(MetaKey.replica, MetaTable.bytes(replica), transaction)
          try meta.put(MetaKey.order, MetaTable.bytes(OrderKey.version), transaction)
        } catch {
          throw SaveFailure.broken(error)
        }
        try extendSchema(tables, logID, transaction, replica: replica)
      }
    } catch {
      throw error.storeError
    }
  }

  private func extendSchema(
    _ environment: Environment, _ tables: StoreTables, _ logID: UniqueID
  ) throws(StoreError) {
    do throws(SaveFailure) {
      try environment.write { (transaction) throws(SaveFailure) in
        try extendSchema(tables, logID, transaction, replica: nil)
      }
    } catch {
      throw error.storeError
    }
  }

  private func extendSchema(
    _ tables: StoreTables, _ logID: UniqueID, _ transaction: borrowing WriteTransaction, replica: UniqueID?
  ) throws(SaveFailure) {
    let reconciliation: SchemaReconciliation
    do throws(StoreError) {
      let stored = try MetaTable(tables.meta, path: path).schema(transaction.view)
      reconciliation = try SchemaReconciliation(models, stored)
    } catch {
      throw .damaged(error)
    }
    if reconciliation.isEmpty { return }
    var appender = try TransactionAppender(
      tables, path: path, logID: logID, map: SchemaMap(models, StoredSchema()), transaction.view)
    try appender.append(reconciliation.schema, transaction, replica: replica)
    try appender.finish(transaction)
    try IndexBuilder(tables: tables, path: path).build(reconciliation.newProperties, transaction)
  }
}

extension SaveFailure {
  var storeError: StoreError {
    switch self {
    case .broken(let error): StoreError(error)
    case .damaged(let error): error
    case .refused(let error): .damaged(path: "", reason: error.description)
    }
  }
}
