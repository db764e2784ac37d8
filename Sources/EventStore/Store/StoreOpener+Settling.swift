import RepriseLMDB
import RepriseLog
import RepriseObjectModel

extension StoreOpener {
  /// A store whose schema agrees with the models.
  // A class, because the type of an optional class exists when a process starts.
  final class Settled {
    let facts: Facts
    let models: ResolvedSchema
    let reconciliation: SchemaReconciliation

    init(_ facts: Facts, _ models: ResolvedSchema, _ reconciliation: SchemaReconciliation) {
      self.facts = facts
      self.models = models
      self.reconciliation = reconciliation
    }
  }

  /// Brings the store to the form of the models: runs migrations, and adds what the models add. `nil` if something must
  /// be written and `writing` is false.
  func settle(
    _ environment: Environment, _ tables: StoreTables, _ found: Facts, writing: Bool
  ) throws(StoreError) -> Settled? {
    var facts = found
    if let plan = options.migration, facts.isMigrating || facts.schema.version < plan.version {
      guard writing else { return nil }
      // Other machines may save with the former models meanwhile.
      if options.sharing != nil { throw .sharesLog(path: path) }
      var store = MigratedStore(
        path: path, environment: environment, models: models, run: run, isStrict: options.isStrict)
      store.writerTimeout = options.writerTimeout
      store.checksRenames = options.checksRenames
      if !isRehearsal { store.rehearse = { () throws(StoreError) in try rehearse(environment) } }
      try plan.migrate(plan, store)
      facts = try requiredFacts(environment, tables)
    } else if facts.isMigrating {
      throw .migration(.unfinished(version: Int(facts.schema.version)))
    }
    if !options.isReadOnly { try facts.schema.requireKnownLocales() }
    if facts.hasOutdatedOrders, options.usesStoredModels, !options.isReadOnly {
      // The programs of the store would have to stop.
      throw .localeVersionMismatch(path: path, locale: facts.schema.localeCollations.first?.locale.string ?? "")
    }
    if facts.hasOutdatedOrders, !options.isReadOnly {
      guard writing else { return nil }
      try extendSchema(environment, tables, facts.logID)
      facts = try requiredFacts(environment, tables)
    }
    var models = try models.following(facts.schema)
    var reconciliation = try reconcile(models, facts.schema, environment, tables)
    if options.usesStoredModels, !reconciliation.isEmpty {
      throw .damaged(path: path, reason: "its schema contradicts itself")
    }
    if options.isStrict {
      let warnings = reconciliation.schema.warnings(for: models)
      if !warnings.isEmpty { throw .notInModels(warnings) }
    }
    if options.checksRenames, !reconciliation.possibleRenames.isEmpty {
      throw .possibleRenames(reconciliation.possibleRenames)
    }
    let underived =
      options.usesStoredModels ? [] : try outdatedDerivations(models, facts.schema, environment, tables)
    if !reconciliation.isEmpty || !underived.isEmpty {
      guard writing else { return nil }
      try fill(underived, environment, tables, facts.logID)
      try extendSchema(environment, tables, facts.logID, isFilled: true)
      facts = try requiredFacts(environment, tables)
      models = try self.models.following(facts.schema)
      reconciliation = try reconcile(models, facts.schema, environment, tables)
    }
    // A shared store builds each index in the commit that declares it.
    let required = options.sharing == nil ? reconciliation.unbuiltIndexes.filter(\.isRequired) : []
    if !required.isEmpty {
      guard writing else { return nil }
      try IndexBuildQueue(
        required, path, environment, tables, logID: facts.logID, options.indexing, unless: { run.isCancelled }
      )
      .finish(run, waiting: options.writerTimeout)
      facts = try requiredFacts(environment, tables)
    }
    return Settled(facts, models, reconciliation)
  }

  /// Does the steps of the opening to a copy of the store, and throws the error that the opening would throw.
  func settle(copy environment: Environment) throws(StoreError) {
    let tables = StoreTables(environment)
    _ = try settle(environment, tables, requiredFacts(environment, tables), writing: true)
  }
}
