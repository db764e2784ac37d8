import RepriseObjectModel

/// The place of a packet in a shared log.
package struct LogPlace: Hashable, Sendable {
  /// How often an operator has restored the shared log from a backup. A store never goes on in another epoch than the
  /// one of its place, so a restored log does not pass unnoticed.
  package let epoch: UInt64
  /// The number of the packet. 0 before the first packet. Later packets have greater numbers, which may have gaps.
  package let sequence: UInt64
  /// The packet. `nil` before the first packet.
  package let packet: UniqueID?

  /// Makes the place of a packet.
  package init(epoch: UInt64, sequence: UInt64, packet: UniqueID?) {
    self.epoch = epoch
    self.sequence = sequence
    self.packet = packet
  }

  /// The place before the first packet.
  package static func beginning(ofEpoch epoch: UInt64) -> LogPlace {
    LogPlace(epoch: epoch, sequence: 0, packet: nil)
  }
}

/// The first and the last place of a shared log.
package struct LogStanding: Hashable, Sendable {
  /// The place before the first packet that the log still has.
  package let first: LogPlace
  /// The place of the last packet.
  package let last: LogPlace

  /// Makes a standing.
  package init(first: LogPlace, last: LogPlace) {
    self.first = first
    self.last = last
  }
}

/// Packets that directly follow each other in a shared log.
package struct LogPage: Sendable {
  /// The packets with their places, in the order of the log.
  package let packets: [(place: LogPlace, packet: LogPacket)]
  /// Whether the log has more packets after them.
  package let hasMore: Bool

  /// Makes a page.
  package init(_ packets: [(place: LogPlace, packet: LogPacket)], hasMore: Bool) {
    self.packets = packets
    self.hasMore = hasMore
  }
}
