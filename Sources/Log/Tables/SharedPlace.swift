import RepriseLMDB
import RepriseObjectModel

/// The last packet of a shared log whose transactions a store has. Docs/FileFormat/meta.md.
package struct SharedPlace: Sendable {
  /// The epoch of the shared log.
  package var epoch: UInt64
  /// The number of the packet. 0 before the first packet.
  package var sequence: UInt64
  /// The packet. `nil` before the first packet.
  package var packet: UniqueID?
  /// Identifies this store among all copies.
  package var copy: UniqueID

  package init(epoch: UInt64, sequence: UInt64, packet: UniqueID?, copy: UniqueID) {
    self.epoch = epoch
    self.sequence = sequence
    self.packet = packet
    self.copy = copy
  }

  package init(encoded bytes: UnsafeRawBufferPointer) throws(MalformedBytes) {
    var reader = try ByteReader(sealed: bytes)
    epoch = try reader.varint()
    sequence = try reader.varint()
    let packet = try reader.uuid("the ID of a packet")
    self.packet = packet == .zero ? nil : packet
    copy = try reader.uuid("the ID of a copy")
    try reader.expectEnd("the end of an entry")
  }

  package func encoded() -> [UInt8] {
    var writer = ByteWriter.sealing(reserving: 64)
    writer.varint(epoch)
    writer.varint(sequence)
    writer.uuid(packet ?? .zero)
    writer.uuid(copy)
    return writer.sealed()
  }
}

extension MetaTable {
  /// `nil` if the store does not share its log.
  package func place(_ view: View) throws(StorageError) -> SharedPlace? {
    let place = try parsed(MetaKey.place, view) { (bytes) throws(MalformedBytes) in try SharedPlace(encoded: bytes) }
    if place == nil, try isShared(view) { throw damaged(MetaKey.place) }
    return place
  }

  package func put(_ place: SharedPlace, _ transaction: borrowing WriteTransaction) throws(StorageError) {
    try put(MetaKey.place, place.encoded(), transaction)
  }

  package func removePlace(_ transaction: borrowing WriteTransaction) throws(StorageError) {
    let key = MetaKey.place
    try transaction.delete(table, key: key.span.bytes)
  }
}
