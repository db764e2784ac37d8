import RepriseLMDB
import RepriseLog
import RepriseObjectModel

// The last commit of a build.

extension SlicedIndexBuild {
  /// Adds the index to the schema, at the head, unless other contexts have saved much in the meantime. True if the
  /// index is ready.
  func publish() throws(StoreError) -> Bool {
    try tryRule()
    let known = state
    let isReady = try commit { (transaction) throws(StoreError) in
      try publish(known, transaction)
    }
    guard isReady else { return false }
    forget()
    return true
  }

  /// Throws the objects that break the rule of a unique index. Later saves are checked when the rule is written.
  func tryRule() throws(StoreError) {
    guard target.uniqueness > .none else { return }
    let violations = try read { (view) throws(StorageError) in
      guard let (entity, property) = described(try meta.schema(view)), let index = StoredIndex(property, of: entity)
      else { return [RuleViolation]() }
      if logged == nil {
        let head = try log.lastPosition(view)
        logged = LoggedIndexChanges(index, of: target.entity, from: state?.mark ?? LogMark(position: head))
      }
      return try DuplicateSearch(property, of: entity, tables)?.violations(limit: 10, view) ?? []
    }
    if !violations.isEmpty { throw .violations(violations) }
  }

  func publish(
    _ known: IndexBuildState?, _ transaction: borrowing WriteTransaction
  ) throws(StoreError) -> Bool {
    let objects = ObjectTable(tables)
    let ready = try StoreError.converting {
      () throws(StorageError) -> (StoredSchema, [LoggedIndexChanges.RowChange])? in
      let view = transaction.view
      guard try isStill(known, view) else { return nil }
      var schema = try meta.schema(view)
      guard let (entity, property) = described(schema), let number = property.index, var logged = self.logged,
        try logged.read(log, upTo: try log.lastPosition(view), limit: 1 << 20, view), logged.count <= 1_000
      else { return nil }
      let taken = try logged.take(.max, objects, view)
      if let known {
        var changes = IndexChanges(index: number)
        for change in taken { known.add(change, to: &changes) }
        try CountedIndex(number: number, table: tables.indexes).apply(changes, in: transaction)
        try meta.put(nil, of: target.property, transaction)
      }
      schema.replace(property, of: entity.number)
      schema.revision += 1
      return (schema, taken)
    }
    guard let (schema, taken) = ready, let (entity, property) = described(schema) else {
      forget()
      return false
    }
    if let search = DuplicateSearch(property, of: entity, tables) {
      for change in taken {
        let violation = try StoreError.converting { () throws(StorageError) in
          try search.violation(of: change.uuid, transaction.view)
        }
        if let violation { throw .violations([violation]) }
      }
    }
    let models: ResolvedSchema
    do throws(SchemaError) { models = try ResolvedSchema(Schema([])) } catch { throw .schema(error) }
    try StoreError.converting { () throws(StorageError) in
      var appender = try TransactionAppender(
        tables, logID: logID, map: SchemaMap(models, StoredSchema()), transaction.view)
      try appender.append(schema, transaction)
      try appender.finish(transaction)
      // The history is built in slices, like the index before.
      try tables.beginHistories(schema, after: schema, atOnce: 0, transaction)
    }
    return true
  }
}

extension StoredSchema {
  fileprivate mutating func replace(_ property: StoredProperty, of entity: UInt32) {
    guard let place = entities.firstIndex(where: { $0.number == entity }),
      let slot = entities[place].properties.firstIndex(where: { $0.number == property.number })
    else { return }
    entities[place].properties[slot] = property
  }
}
