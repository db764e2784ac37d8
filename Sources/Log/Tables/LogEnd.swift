import RepriseLMDB
import RepriseObjectModel

/// The last transaction written to the log, recorded beside it: a log that lost its tail is valid in itself.
package struct LogEnd: Equatable {
  package let position: Position
  package let hash: Digest
  /// The greatest ID of all transactions ever saved, and of all objects that they inserted: new IDs sort after it.
  package let greatestID: UniqueID

  package init(position: Position, hash: Digest, greatestID: UniqueID) {
    self.position = position
    self.hash = hash
    self.greatestID = greatestID
  }

  package init(encoded bytes: UnsafeRawBufferPointer) throws(MalformedBytes) {
    var reader = try ByteReader(sealed: bytes)
    position = Position(try reader.fixed(UInt64.self, "a position"))
    hash = try reader.digest()
    greatestID = try reader.uuid("an ID")
    guard reader.isAtEnd else { throw reader.fail("the end of an entry") }
  }

  package func encoded() -> [UInt8] {
    var writer = ByteWriter.sealing(reserving: 24 + Digest.size)
    writer.fixed(position.number)
    writer.digest(hash)
    writer.uuid(greatestID)
    return writer.sealed()
  }
}

extension LogEnd {
  /// Throws unless this is the last transaction of the log.
  fileprivate func require(_ last: Position, of log: LogTable) throws(StorageError) {
    if last < position { throw log.lost(after: last, upTo: position) }
    if last > position {
      throw log.damaged(
        last, "the log goes on to transaction \(last), but the last transaction that was saved is \(position)")
    }
  }

  /// Also throws if the last transaction is not the one that was saved.
  fileprivate func require(_ head: LogHead, of log: LogTable) throws(StorageError) {
    try require(head.position, of: log)
    if head.hash != hash {
      throw log.damaged(position, "transaction \(position) of the log is not the one that was saved last")
    }
  }
}

extension MetaTable {
  /// Throws unless the log ends with the transaction that was saved last, because no save may follow another one.
  /// Returns the recorded facts about it.
  @discardableResult
  package func requireEnd(_ last: Position, of log: LogTable, _ view: View) throws(StorageError) -> LogEnd {
    let end = try head(view)
    try end.require(last, of: log)
    return end
  }

  /// Also throws if the last transaction is not the one that was saved.
  @discardableResult
  package func requireEnd(_ head: LogHead, of log: LogTable, _ view: View) throws(StorageError) -> LogEnd {
    let end = try self.head(view)
    try end.require(head, of: log)
    return end
  }
}
