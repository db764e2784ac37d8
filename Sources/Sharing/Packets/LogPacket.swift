import RepriseLog
import RepriseObjectModel

/// Transactions that a server appends to a shared log in one piece.
///
/// A transport stores the ``bytes`` of a packet, and finds packets by their IDs. It need not understand the bytes.
public struct LogPacket: Hashable, Sendable {
  /// Identifies the packet. Packets that one process makes have ascending IDs.
  public let id: UniqueID
  /// The packet directly before this one in the shared log. `nil` if this is the first packet of the log.
  public let predecessor: UniqueID?
  /// The whole packet, including both IDs.
  public let bytes: [UInt8]

  /// Reads the IDs of a packet from its bytes, for example from the row of a database. Reads each byte once, to compare
  /// the checksum.
  ///
  /// - Throws: ``PacketError``: `damaged` if a byte is wrong or missing, `newerForm` if a later version of the library
  ///   made the packet.
  public init(bytes: [UInt8]) throws {
    let head = try bytes.lend { (bytes) throws(PacketError) in
      try PacketError.reading { () throws(MalformedBytes) in try PacketHead(bytes) }
    }
    guard head.form == PacketHead.form else { throw PacketError.newerForm(head.form) }
    self.init(head, bytes)
  }

  /// A packet without transactions, to test a transport. Only its size and its order matter.
  package init(after predecessor: UniqueID?, in log: UniqueID, filler: [UInt8] = []) {
    let id = UniqueID()
    var writer = ByteWriter.sealing(reserving: filler.count + 80)
    writer.append(PacketHead.form)
    for part in [id, predecessor ?? .zero, log, .zero] { writer.uuid(part) }
    for number in [1, 0, 0, UInt64(filler.count)] { writer.varint(number) }
    writer.append(filler)
    writer.varint(UInt64(0))
    self.init(PacketHead(id: id, predecessor: predecessor, end: 0), writer.sealed())
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
