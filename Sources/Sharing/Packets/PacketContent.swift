import RepriseLog
import RepriseObjectModel

/// A packet, parsed in lent bytes.
struct PacketContent {
  struct Transaction {
    let hash: Digest
    /// The log time minus the wall time, in microseconds.
    let delay: Int64
    let shared: UnsafeRawBufferPointer
  }

  let id: UniqueID
  let predecessor: UniqueID?
  let logID: UniqueID
  /// The store that made the packet.
  let replica: UniqueID
  let first: Position
  private(set) var blobs: [(digest: Digest, bytes: UnsafeRawBufferPointer)] = []
  private(set) var transactions: [Transaction] = []
  /// The versions of the computations that the maker had, by the number of the derived attribute.
  private(set) var derivations: [UInt32: UInt32] = [:]
  let note: UnsafeRawBufferPointer

  init(_ bytes: UnsafeRawBufferPointer) throws(MalformedBytes) {
    let head = try PacketHead(bytes)
    id = head.id
    predecessor = head.predecessor
    var reader = ByteReader(bytes)
    reader.offset = head.end
    logID = try reader.uuid("the ID of a log")
    replica = try reader.uuid("the ID of a replica")
    first = try reader.position()
    for _ in 0..<(try reader.count(of: Digest.size + 1, "the number of blobs")) {
      blobs.append((try reader.digest("the digest of a blob"), try reader.sized("a blob")))
    }
    for _ in 0..<(try reader.count(of: Digest.size + 2, "the number of transactions")) {
      transactions.append(
        Transaction(
          hash: try reader.digest("a transaction's hash"), delay: try reader.signedVarint("a log time"),
          shared: try reader.sized("a transaction")))
    }
    for _ in 0..<(try reader.count(of: 2, "the number of attributes")) {
      derivations[try reader.number("an attribute's number")] = try reader.number("a version")
    }
    note = try reader.sized("a note")
    try reader.expectEnd("the end of a packet")
  }
}
