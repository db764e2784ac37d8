import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// The unique indexes of a salvaged store that its objects break: one of them was changed or deleted by a transaction
/// that is lost.
struct BrokenRules {
  let tables: StoreTables
  let logID: UniqueID

  /// Takes their rules away, in a schema transaction, so that the store is sound. If only nils are the same, nil no
  /// longer equals nil, and the rule stays otherwise. Whoever opens the store with models that declare the rules learns
  /// of the objects, and can change or delete them without.
  ///
  /// - Returns: The objects, each as a sentence.
  func lift(_ transaction: borrowing WriteTransaction) throws(StorageError) -> [String] {
    var schema = try MetaTable(tables.meta).schema(transaction.view)
    var problems: [String] = []
    for entity in schema.entities.indices {
      for property in schema.entities[entity].properties.indices {
        let stored = schema.entities[entity].properties[property]
        guard let search = DuplicateSearch(stored, of: schema.entities[entity], tables) else { continue }
        let violations = try search.violations(limit: 10, transaction.view)
        if violations.isEmpty { continue }
        var weaker = stored
        weaker.role = stored.role.held(to: .nilsDiffer)
        let rest = try DuplicateSearch(weaker, of: schema.entities[entity], tables)?
          .violations(limit: 1, transaction.view)
        if rest?.isEmpty != true { weaker.role = stored.role.held(to: .none) }
        schema.entities[entity].properties[property] = weaker
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
