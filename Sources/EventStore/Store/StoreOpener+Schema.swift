import RepriseLMDB
import RepriseLog
import RepriseObjectModel

extension StoreOpener {
  /// Makes the environment a store: writes its metadata, and the schema as the log's first transaction.
  func create(_ environment: Environment, _ tables: StoreTables) throws(StoreError) {
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

  func extendSchema(
    _ environment: Environment, _ tables: StoreTables, _ logID: UniqueID, isFilled: Bool = false
  ) throws(StoreError) {
    let extend = { (transaction: borrowing WriteTransaction) throws(StoreError) in
      try extendSchema(tables, logID, transaction, replica: nil, isFilled: isFilled)
    }
    guard let sharing = options.sharing else {
      return try environment.write(unless: { _ in run.isCancelled }, extend)
    }
    try sharing.write(environment, tables, by: models, unless: { _ in run.isCancelled }, extend)
  }

  /// Computes the derived attributes whose stored values are from another version of their derivation. Indexes over
  /// them are declared first, and built afterwards.
  func fill(
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
      try DerivationFill(
        outdated, models, path, environment, tables, logID: logID, sharing: options.sharing, options.indexing, run
      )
      .finish()
    }
  }

  private func extendSchema(
    _ tables: StoreTables, _ logID: UniqueID, _ transaction: borrowing WriteTransaction, replica: UniqueID?,
    isFilled: Bool = false
  ) throws(StoreError) {
    let (stored, outdated) = try StoreError.converting { () throws(StorageError) in
      let meta = MetaTable(tables.meta)
      let stored = try meta.schema(transaction.view)
      return (stored, try meta.outdated(stored.localeCollations, transaction.view))
    }
    try stored.requireKnownLocales()
    let models = try models.following(stored)
    // Another server may have changed objects since the fill. Its program is older, or the fill would have them.
    let isComputed = isFilled && options.sharing != nil
    let reconciliation = try reconcile(
      models, stored, tables, outdated, isComputed: isComputed, transaction.view)
    try renewOrders(of: stored, reconciliation, outdated, tables, transaction)
    if reconciliation.isEmpty { return }
    try StoreError.converting { () throws(StorageError) in
      var appender = try TransactionAppender(
        tables, logID: logID, map: SchemaMap(models, StoredSchema()), isRehearsal: options.sharing != nil,
        clock: options.wallClock, transaction.view)
      var schema = reconciliation.schema
      if replica != nil, let plan = options.migration {
        // A new store needs no migration, so it has the plan's version from the start.
        (schema.version, schema.oldestVersion) = (UInt32(plan.version), UInt32(plan.oldestVersion))
      }
      try appender.append(schema, transaction, replica: replica)
      try appender.finish(transaction)
      if options.sharing != nil {
        // The store builds its indexes when it applies the packet. A rehearsal only finds duplicates.
        let unique = Set(reconciliation.newUniqueIndexes.map(\.property.number))
        let filled = reconciliation.newProperties.filter { unique.contains($0.property.number) }
        return try IndexBuilder(tables: tables).build(filled, transaction)
      }
      try IndexBuilder(tables: tables).remove(reconciliation.obsoleteIndexes, transaction)
      try IndexBuilder(tables: tables).build(reconciliation.newProperties, transaction)
      try tables.beginHistories(
        reconciliation.schema, after: stored, atOnce: options.indexing.atOnce, transaction)
      let meta = MetaTable(tables.meta)
      for (property, index) in reconciliation.renewedIndexes {
        let building = try meta.indexBuild(property, transaction.view)?.index
        guard let index = index ?? building else { continue }
        try meta.put(IndexBuildState(index: index, isClearing: true), of: property, transaction)
      }
      try meta.putCollators(of: reconciliation.schema.localeCollations, transaction)
      for entity in appender.map.all where entity.entity.derives {
        // An entity without objects has nothing to compute.
        if try meta.count(of: entity.number, transaction.view) == 0 { try meta.putDerivations(of: entity, transaction) }
      }
    }
    try checkUniqueness(of: reconciliation.newUniqueIndexes, tables, transaction.view)
  }

  func reconcile(
    _ models: ResolvedSchema, _ stored: StoredSchema, _ environment: Environment, _ tables: StoreTables
  ) throws(StoreError) -> SchemaReconciliation {
    let reconciliation = try SchemaReconciliation(models, stored)
    // The usual case.
    if reconciliation.isEmpty { return reconciliation }
    return try environment.read { (transaction) throws(StoreError) in
      try reconcile(models, stored, tables, [], transaction.view)
    }
  }

  func outdatedDerivations(
    _ models: ResolvedSchema, _ stored: StoredSchema, _ environment: Environment, _ tables: StoreTables
  ) throws(StoreError) -> [OutdatedDerivation] {
    guard models.derives else { return [] }
    return try StoreError.converting { () throws(StorageError) in
      try environment.read { (transaction) throws(StorageError) in
        try MetaTable(tables.meta).outdatedDerivations(models, stored, transaction.view)
      }
    }
  }

  /// Reconciles the models with the stored schema. Leaves indexes over large entities, and over attributes that are not
  /// computed yet, for a later build.
  private func reconcile(
    _ models: ResolvedSchema, _ stored: StoredSchema, _ tables: StoreTables, _ outdated: [Collation],
    isComputed: Bool = false, _ view: borrowing View
  ) throws(StoreError) -> SchemaReconciliation {
    let (large, taken, uncomputed) = try StoreError.converting { () throws(StorageError) in
      let meta = MetaTable(tables.meta)
      var large: Set<UInt32> = []
      for entity in stored.entities where try meta.count(of: entity.number, view) > options.indexing.atOnce {
        large.insert(entity.number)
      }
      return (
        large, try meta.indexBuilds(view).values.map(\.index),
        isComputed ? [] : try meta.outdatedDerivations(models, stored, view)
      )
    }
    return try SchemaReconciliation(
      models, stored, large: large, taken: taken, outdated: outdated, uncomputed: uncomputed)
  }

  /// Sorts indexes in the orders of this program's locales before anything is added to them. Indexes over large
  /// entities are built from scratch in slices instead, by a program whose models have them.
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
      try tables.beginHistories(stored, after: stored, atOnce: options.indexing.atOnce, transaction)
      try MetaTable(tables.meta).putCollators(of: outdated, transaction)
    }
    try checkUniqueness(of: renewed, tables, transaction.view)
  }

  /// Throws the first duplicates of each index, so that nothing is written.
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
