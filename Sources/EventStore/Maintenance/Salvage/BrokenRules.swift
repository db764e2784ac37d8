import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// The unique indexes of a salvaged store whose rules its objects break, because a lost transaction changed or deleted
/// one of the objects.
struct BrokenRules {
  let tables: StoreTables
  let logID: UniqueID

  /// Removes the broken rules in a schema transaction, so that the store is sound. If the objects break a rule only
  /// because nil equals nil, the weaker rule stays that nil does not equal nil. A program whose models declare a
  /// removed rule cannot open the store with these objects. A program without the rule can change or delete them.
  ///
  /// - Returns: A finding for each object.
  func lift(_ transaction: borrowing WriteTransaction) throws(StorageError) -> [StoreFinding] {
    var schema = try MetaTable(tables.meta).schema(transaction.view)
    var problems: [StoreFinding] = []
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
        problems += violations.map { .removedRule($0) }
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
