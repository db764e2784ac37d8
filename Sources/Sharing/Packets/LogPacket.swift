import RepriseLog
import RepriseObjectModel

/// Transactions that a server appends to a shared log in one piece.
///
/// A transport stores the ``bytes`` of a packet, and finds packets by their IDs. It need not understand the bytes.
package struct LogPacket: Hashable, Sendable {
  /// Identifies the packet. Packets that one process makes have ascending IDs.
  package let id: UniqueID
  /// The packet directly before this one in the shared log. `nil` if this is the first packet of the log.
  package let predecessor: UniqueID?
  /// The whole packet, including both IDs.
  package let bytes: [UInt8]

  /// Reads the IDs of a packet from its bytes, for example from the row of a database. Reads each byte once, to compare
  /// the checksum.
  ///
  /// - Throws: ``PacketError``: `damaged` if a byte is wrong or missing, `newerForm` if a later version of the library
  ///   made the packet.
  package init(bytes: [UInt8]) throws {
    let head = try bytes.lend { (bytes) throws(PacketError) in
      try PacketError.reading { () throws(MalformedBytes) in try PacketHead(bytes) }
    }
    guard head.form == PacketHead.form else { throw PacketError.newerForm(head.form) }
    self.init(head, bytes)
  }

  /// - bytes: Sealed, and of this library's form.
  init(_ head: PacketHead, _ bytes: [UInt8]) {
    id = head.id
    predecessor = head.predecessor
    self.bytes = bytes
  }
}

/// The beginning of a packet.
struct PacketHead {
  static let form: UInt8 = 1

  let form: UInt8
  let id: UniqueID
  let predecessor: UniqueID?
  /// Where the rest begins.
  let end: Int

  init(id: UniqueID, predecessor: UniqueID?, end: Int) {
    form = Self.form
    self.id = id
    self.predecessor = predecessor
    self.end = end
  }

  init(_ bytes: UnsafeRawBufferPointer) throws(MalformedBytes) {
    var reader = try ByteReader(sealed: bytes)
    form = try reader.byte("the form of a packet")
    id = try reader.uuid("the ID of a packet")
    let predecessor = try reader.uuid("the ID of a packet")
    self.predecessor = predecessor == .zero ? nil : predecessor
    end = reader.offset
  }
}
