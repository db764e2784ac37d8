import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// Makes a packet of transactions that follow each other.
///
/// Docs/PacketFormat.md describes the bytes.
package struct PacketWriter {
  private let id: UniqueID
  private let predecessor: UniqueID?
  private let logID: UniqueID
  private let replica: UniqueID
  private let first: Position
  private var transactions = ByteWriter()
  package private(set) var count = 0
  private var references: BlobReferences
  /// By the number of the attribute, the version of its computation.
  private let derivations: [UInt32: UInt32]

  /// - Parameters:
  ///   - replica: The store that makes the packet.
  ///   - first: The position of the first transaction.
  ///   - schema: After the transactions.
  ///   - derivations: The versions of the computations that this program has, by the number of the derived attribute.
  package init(
    id: UniqueID = UniqueID(), after predecessor: UniqueID?, logID: UniqueID, replica: UniqueID, first: Position,
    _ schema: StoredSchema, derivations: [UInt32: UInt32] = [:]
  ) {
    self.id = id
    self.predecessor = predecessor
    self.logID = logID
    self.replica = replica
    self.first = first
    self.derivations = derivations
    references = BlobReferences(schema)
  }

  /// About the size of the packet in bytes, without its blobs.
  package var byteCount: Int { transactions.count }

  /// Adds the next transaction.
  package mutating func add(_ frame: LogFrame) throws(MalformedBytes) {
    transactions.digest(frame.hash)
    transactions.signedVarint(frame.logTime &- frame.envelope.wallTime)
    transactions.varint(frame.shared.count)
    transactions.append(frame.shared)
    count += 1
    if references.areNone { return }
    var events = frame.events
    while let event = try events.next() { try references.addNew(event) }
  }

  /// The packet, with all blobs that its transactions add references to. A replica may lack such a blob even if it was
  /// shared before, because its log begins later.
  ///
  /// - Parameter note: Only the replica that made the packet reads it.
  package consuming func finish(
    _ tables: StoreTables, _ view: View, note: [UInt8] = []
  ) throws(StorageError) -> LogPacket {
    var writer = ByteWriter.sealing(reserving: transactions.count + note.count + 256)
    writer.append(PacketHead.form)
    writer.uuid(id)
    writer.uuid(predecessor ?? .zero)
    let head = PacketHead(id: id, predecessor: predecessor, end: writer.count)
    writer.uuid(logID)
    writer.uuid(replica)
    writer.varint(first.number)
    let blobs = references.blobs.sorted { $0.digest.description < $1.digest.description }
    writer.varint(blobs.count)
    for blob in blobs {
      writer.digest(blob.digest)
      var bytes: [UInt8] = []
      let table = try BlobTable(tables, view)
      guard let entry = try table.entry(of: blob.digest, view) else {
        throw table.table.damaged(BlobTable.key(.whole, blob.digest), "the blob \(blob.digest) is missing")
      }
      try table.read(0..<entry.byteCount, of: entry, into: &bytes, view)
      writer.sized(bytes)
    }
    writer.varint(count)
    writer.append(transactions.bytes)
    writer.varint(derivations.count)
    for (property, version) in derivations.sorted(by: { $0.key < $1.key }) {
      writer.varint(UInt64(property))
      writer.varint(UInt64(version))
    }
    writer.sized(note)
    return LogPacket(head, writer.sealed())
  }
}
