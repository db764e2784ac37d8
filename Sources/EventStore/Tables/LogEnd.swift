import RepriseLMDB
import RepriseObjectModel

/// The last transaction written to the log, recorded beside it: a log that lost its tail is valid in itself.
package struct LogEnd: Hashable {
  package let position: Position
  package let hash: Digest
  /// The transaction's own ID, after which new IDs are to sort; `nil` if it is not known.
  package let transactionID: UniqueID?

  package init(position: Position, hash: Digest, transactionID: UniqueID? = nil) {
    self.position = position
    self.hash = hash
    self.transactionID = transactionID
  }

  init(encoded bytes: UnsafeRawBufferPointer) throws(MalformedBytes) {
    var reader = try ByteReader(sealed: bytes)
    position = Position(try reader.fixed(UInt64.self, "a position"))
    hash = try reader.digest()
    transactionID = reader.isAtEnd ? nil : try reader.uuid("a transaction's ID")
    guard reader.isAtEnd else { throw reader.fail("the end of an entry") }
  }

  package func encoded() -> [UInt8] {
    var writer = ByteWriter.sealing(reserving: 24 + Digest.size)
    writer.fixed(position.number)
    writer.digest(hash)
    if let transactionID { writer.uuid(transactionID) }
    return writer.sealed()
  }
}

extension LogEnd {
  /// Throws if the log ends before this transaction. It may end after it: versions of the library that do not write
  /// this entry append to the log without updating it.
  func require(_ last: Position, of log: LogTable) throws(StorageError) {
    if last < position { throw log.lost(after: last, upTo: position) }
  }

  /// Also throws if the last transaction is not the one that was saved.
  func require(_ head: LogHead, of log: LogTable) throws(StorageError) {
    try require(head.position, of: log)
    guard head.position == position, head.hash != hash else { return }
    throw log.damaged(position, "transaction \(position) of the log is not the one that was saved last")
  }
}
