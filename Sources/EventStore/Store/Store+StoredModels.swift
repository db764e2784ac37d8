import RepriseLMDB
import RepriseLog
import RepriseObjectModel

extension Store {
  /// Opens a store with models that are made of its stored schema.
  ///
  /// - Parameter make: Gets the schema, the numbers of derived attributes, and the collations of indexes that this
  ///   program would sort otherwise.
  package static func open(
    _ path: String, isReadOnly: Bool,
    _ make: (_ schema: StoredSchema, _ derived: Set<UInt32>, _ outdated: [Collation]) -> Schema
  ) throws(StoreError) -> Store {
    let (schema, derived, outdated) = try StoreRegistry.whileClosed(path) { (access) throws(StoreError) in
      let environment = try StoreOpener.environment(path, access, isReadOnly: isReadOnly, checksStructure: false)
      defer { environment.close() }
      let tables = StoreTables(environment)
      return try StoreError.converting { () throws(StorageError) in
        try environment.read { (transaction) throws(StorageError) in
          let view = transaction.view
          _ = try tables.logID(view, sharing: true)
          let meta = MetaTable(tables.meta)
          let schema = try meta.schema(view)
          let derived = Set(try meta.derivations(view).map(\.property))
          return (schema, derived, try meta.outdated(schema.localeCollations, view))
        }
      }
    }
    var options = StoreOptions()
    options.isReadOnly = isReadOnly
    options.usesStoredModels = true
    options.checksRenames = false
    var models: ResolvedSchema
    do throws(SchemaError) { models = try ResolvedSchema(make(schema, derived, outdated)) } catch {
      throw .schema(error)
    }
    models.version = Int(schema.version)
    return isReadOnly
      ? try StoreRegistry.openUnchanged(path, models, options) : try StoreRegistry.open(path, models, options)
  }
}
