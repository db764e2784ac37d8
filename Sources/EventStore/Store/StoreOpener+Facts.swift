import RepriseLMDB
import RepriseLog
import RepriseObjectModel

extension StoreOpener {
  /// A store's metadata and head.
  final class Facts {
    let logID: UniqueID
    let order: UInt32
    let schema: StoredSchema
    /// Whether a migration has begun and not ended.
    let isMigrating: Bool
    /// Indexes whose building was not recorded as ended, although they are ready or no model can have them any more.
    let needlessBuilds: [UnbuiltIndex]
    /// Whether an index has an order of a locale that differs from this program's.
    let hasOutdatedOrders: Bool
    /// Whether there may be transactions before the floor, or unused blobs.
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
  func facts(_ environment: Environment, _ tables: StoreTables) throws(StoreError) -> Facts? {
    let facts = try StoreError.converting { () throws(StorageError) in
      try environment.read { (transaction) throws(StorageError) in
        let view = transaction.view
        let meta = MetaTable(tables.meta)
        if try meta.get(MetaKey.format, view) == nil {
          var entries = 0
          for table in [tables.meta, tables.log, tables.objects] { entries += try view.entryCount(table) }
          if entries == 0 { return Facts?.none }
        }
        let logID = try tables.logID(view, sharing: options.sharing != nil || options.isReadOnly)
        let order = try meta.requiredNumber(MetaKey.order, view)
        let log = LogTable(tables.log)
        let head = try log.lastPosition(view)
        // The clock may have been set back since the last save.
        let end = try meta.requireEnd(head, of: log, view)
        UniqueID.note(end.greatestID)
        let schema = try meta.schema(view)
        return Facts(
          logID: logID, order: order, schema: schema,
          isMigrating: schema.version > 0 ? try meta.migration(view) != nil : false,
          needlessBuilds: try meta.needlessBuilds(schema, view),
          hasOutdatedOrders: try !meta.outdated(schema.localeCollations, view).isEmpty,
          isCleaningNeeded: try LogTruncation.isNeeded(tables, view) ? true : BlobCleaning.isNeeded(tables, view),
          head: head, hash: end.hash, transactionID: transaction.id)
      }
    }
    if let facts, facts.order != OrderKey.version {
      throw .collationVersionMismatch(path: path, found: facts.order, supported: OrderKey.version)
    }
    return facts
  }

  /// The facts of a store that exists.
  func requiredFacts(_ environment: Environment, _ tables: StoreTables) throws(StoreError) -> Facts {
    guard let facts = try facts(environment, tables) else { throw .notAStore(path: path, reason: "it has no log") }
    return facts
  }
}
