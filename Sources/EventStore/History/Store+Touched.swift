import RepriseLMDB
import RepriseObjectModel

extension Store {
  /// A transaction, and the objects that it touched.
  package struct TouchingTransaction: Sendable {
    package let position: Position
    package fileprivate(set) var objects: Set<AnyObjectID>
  }

  /// The transactions after `lower`, up to `upper`, that touched objects of these entities, the latest first. Costs all
  /// frames between the two, in one read transaction: ask for few.
  package func transactions(
    after lower: Position, upTo upper: Position, touching entities: Set<EntityName>
  ) throws(StoreError) -> [TouchingTransaction] {
    try read { (view, _) throws(StorageError) in
      var found: [TouchingTransaction] = []
      try past.forEachChange(after: lower, upTo: upper, view) { id, position in
        guard entities.contains(id.name) else { return }
        if found.last?.position != position { found.append(TouchingTransaction(position: position, objects: [])) }
        found[found.count - 1].objects.insert(id)
      }
      return found.reversed()
    }
  }

  /// A transaction with its changes of some objects of one entity alone, if there are any; values are whole.
  ///
  /// - Parameter values: Those of an object before and after.
  package func transaction(
    at position: Position, changing objects: Set<AnyObjectID>, of map: EntityMap,
    _ values: (AnyObjectID) -> (before: LogEvent.Values?, after: LogEvent.Values?)
  ) throws(StoreError) -> LoggedTransaction? {
    try read { (view, _) throws(StorageError) in
      let filter = TransactionFilter(objects: objects)
      let reader = TransactionReader(log, MetaTable(tables.meta), self.map, filter, keepsEmpty: true)
      let transaction = try reader.transaction(at: position, log.reader(view))
      guard let transaction, transaction.hasSplices else { return transaction }
      return transaction.whole(values, slot: { slot(inLog: $0, of: map) })
    }
  }
}
