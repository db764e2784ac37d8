import RepriseLMDB
import RepriseObjectModel

extension Store {
  /// The token of the head, including the saves of all processes. Costs one read of the last transaction.
  ///
  /// - Throws: ``StoreError``: the store is closed, or the last transaction is damaged.
  public func headToken() throws -> LogToken {
    try read { (view, _) throws(StorageError) in
      let head = try log.head(view)
      return LogToken(log: logID, position: head.position, hash: head.hash)
    }
  }

  /// The token of a transaction; of position 0, that of the beginning. Costs one read of the transaction.
  ///
  /// - Throws: ``StoreError``: the store is closed; `truncated` if ``retain(_:progress:)`` dropped the transaction;
  ///   `otherLog` if the position is beyond the head.
  public func token(at position: Position) throws -> LogToken {
    if let hash = try hash(at: position) { return LogToken(log: logID, position: position, hash: hash) }
    try requireReadable(position)
    throw StoreError.otherLog(path: path, token: position, head: head)
  }

  /// Throws unless the log has the token's transaction.
  package func require(_ token: LogToken) throws(StoreError) {
    if token.log == logID {
      if let hash = try hash(at: token.position) {
        if hash == token.hash { return }
      } else if token.position <= head {
        try requireReadable(token.position)
      }
    }
    throw .otherLog(path: path, token: token.position, head: head)
  }
}
