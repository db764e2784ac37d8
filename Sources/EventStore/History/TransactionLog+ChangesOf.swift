import RepriseLMDB
import RepriseLog
import RepriseObjectModel

extension TransactionLog {
  /// A transaction with only its changes of some objects of one entity. `nil` if it is not in the log. Values are
  /// whole.
  ///
  /// - Parameter values: Returns the values of an object before and after the transaction.
  package func transaction(
    at position: Position, changing objects: Set<AnyObjectID>, of map: EntityMap,
    _ values: (AnyObjectID) -> (before: ContiguousArray<PropertyValue>?, after: ContiguousArray<PropertyValue>?)
  ) throws(StoreError) -> LoggedTransaction? {
    try store.read { (view, _) throws(StorageError) in
      let filter = TransactionFilter(objects: objects)
      let reader = TransactionReader(
        store.logID, store.files.log, MetaTable(store.tables.meta), store.map, filter, keepsEmpty: true)
      let transaction = try reader.transaction(at: position, store.files.log.reader(view))
      guard let transaction, transaction.hasSplices else { return transaction }
      return transaction.whole(values, slot: { slot(inLog: $0, of: map) })
    }
  }
}
