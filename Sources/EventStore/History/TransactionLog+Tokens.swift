import RepriseLMDB
import RepriseLog
import RepriseObjectModel

extension TransactionLog {
  /// The token of the head, which includes the saves of all processes. Costs one read of the last transaction.
  ///
  /// - Throws: ``StoreError``: the store is closed, or the last transaction is damaged.
  public func headToken() throws -> LogToken {
    try store.read { (view, _) throws(StorageError) in
      let head = try store.files.log.head(view)
      return LogToken(log: store.logID, position: head.position, hash: head.hash)
    }
  }

  /// The token of the transaction at a position. Position 0 has a token, too: the beginning of the log. Costs one read
  /// of the transaction.
  ///
  /// - Throws: ``StoreError``: the store is closed; `truncated` if ``retain(_:progress:)`` dropped the transaction;
  ///   `otherLog` if the position is beyond the head.
  public func token(at position: Position) throws -> LogToken {
    if let hash = try hash(at: position) { return LogToken(log: store.logID, position: position, hash: hash) }
    try requireReadable(position)
    throw StoreError.otherLog(path: store.path, token: position, head: head)
  }

  /// Throws unless the log has the token's transaction.
  package func require(_ token: LogToken) throws(StoreError) {
    if token.log == store.logID {
      if let hash = try hash(at: token.position) {
        if hash == token.hash { return }
      } else if token.position <= head {
        try requireReadable(token.position)
      }
    }
    throw .otherLog(path: store.path, token: token.position, head: head)
  }

  /// The position before the token's transaction. `nil` for the token of the beginning.
  package func position(before token: LogToken) throws(StoreError) -> Position? {
    try require(token)
    return token.position > 0 ? token.position - 1 : nil
  }

  /// The hash of the transaction at a position, which covers all earlier ones. Zero for position 0, and `nil` if the
  /// log does not have the transaction, or no longer has it.
  package func hash(at position: Position) throws(StoreError) -> Digest? {
    if position == 0 { return .zero }
    return try store.read { (view, head) throws(StorageError) in
      guard position <= head else { return nil }
      if let floor = try MetaTable(store.tables.meta).floor(view), position < floor.position {
        return position == floor.position - 1 ? floor.record.hash : nil
      }
      return try store.files.log.withFrame(position, view) { (frame) throws(MalformedBytes) in frame.hash }
    }
  }
}
