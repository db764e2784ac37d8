import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// The facts of a store for models that are made of them.
package struct StoredModels: Sendable {
  package let schema: StoredSchema
  /// The numbers of derived attributes.
  package let derived: Set<UInt32>
  /// The collations of indexes that this program would sort otherwise.
  package let outdated: [Collation]
}

extension Store {
  /// Opens a store with models that `make` makes of its stored schema.
  package static func open(
    _ path: String, isReadOnly: Bool, _ make: (StoredModels) -> Schema
  ) throws(StoreError) -> Store {
    let stored = try StoreRegistry.whileClosed(path) { (access) throws(StoreError) in
      let environment = try StoreOpener.environment(path, access, isReadOnly: isReadOnly, checksStructure: false)
      defer { environment.close() }
      let tables = StoreTables(environment)
      return try StoreError.converting { () throws(StorageError) in
        try environment.read { (transaction) throws(StorageError) in
          _ = try tables.logID(transaction.view, sharing: true)
          return try StoredModels(MetaTable(tables.meta), transaction.view)
        }
      }
    }
    var options = StoreOptions()
    options.isReadOnly = isReadOnly
    options.usesStoredModels = true
    options.checksRenames = false
    var models: ResolvedSchema
    do throws(SchemaError) { models = try ResolvedSchema(make(stored)) } catch { throw .schema(error) }
    models.version = Int(stored.schema.version)
    return isReadOnly
      ? try StoreRegistry.openUnchanged(path, models, options) : try StoreRegistry.open(path, models, options)
  }
}

extension StoredModels {
  fileprivate init(_ meta: MetaTable, _ view: View) throws(StorageError) {
    schema = try meta.schema(view)
    derived = Set(try meta.derivations(view).map(\.property))
    outdated = try meta.outdated(schema.localeCollations, view)
  }
}
