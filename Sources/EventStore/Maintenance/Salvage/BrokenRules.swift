import RepriseLMDB
import RepriseObjectModel

/// The unique indexes of a salvaged store that its objects break: one of them was changed or deleted by a transaction
/// that is lost.
struct BrokenRules {
  let tables: StoreTables
  let logID: UniqueID

  /// Makes them plain indexes, in a schema transaction, so that the store is sound. Whoever opens it with models that
  /// declare the rules learns of the objects, and can change or delete them without.
  ///
  /// - Returns: The objects, each as a sentence.
  func lift(_ transaction: borrowing WriteTransaction) throws(StorageError) -> [String] {
    var schema = try MetaTable(tables.meta).schema(transaction.view)
    var problems: [String] = []
    for entity in schema.entities.indices {
      for property in schema.entities[entity].properties.indices {
        let stored = schema.entities[entity].properties[property]
        guard case .columns(let columns, isUnique: true) = stored.role,
          let search = DuplicateSearch(stored, of: schema.entities[entity], tables)
        else { continue }
        let violations = try search.violations(limit: 10, transaction.view)
        if violations.isEmpty { continue }
        schema.entities[entity].properties[property].role = .columns(columns)
        problems += violations.map { "\($0). The rule that it breaks is not in the new store." }
      }
    }
    guard !problems.isEmpty, let models = try? ResolvedSchema(Schema([])) else { return problems }
    schema.revision += 1
    var appender = try TransactionAppender(
      tables, logID: logID, map: SchemaMap(models, StoredSchema()), transaction.view)
    try appender.append(schema, transaction)
    try appender.finish(transaction)
    return problems
  }
}
