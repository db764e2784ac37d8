import RepriseLMDB

extension Store {
  /// The IDs of the other processes that have the store open and have read it, ascending.
  package func otherProcesses() throws(StoreError) -> [Int] {
    try StoreError.converting { () throws(StorageError) in try environment.otherProcesses() }
  }
}
