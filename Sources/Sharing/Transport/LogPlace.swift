import RepriseObjectModel

/// The place of a packet in a shared log.
public struct LogPlace: Hashable, Sendable {
  /// How often an operator has restored the shared log from a backup. A store never goes on in another epoch than the
  /// one of its place, so a restored log does not pass unnoticed.
  public let epoch: UInt64
  /// The number of the packet. 0 before the first packet. Later packets have greater numbers, which may have gaps.
  public let sequence: UInt64
  /// The packet. `nil` before the first packet.
  public let packet: UniqueID?

  /// Makes the place of a packet.
  public init(epoch: UInt64, sequence: UInt64, packet: UniqueID?) {
    self.epoch = epoch
    self.sequence = sequence
    self.packet = packet
  }

  /// The place before the first packet.
  public static func beginning(ofEpoch epoch: UInt64) -> LogPlace {
    LogPlace(epoch: epoch, sequence: 0, packet: nil)
  }
}

/// The first and the last place of a shared log.
public struct LogStanding: Hashable, Sendable {
  /// The place before the first packet that the log still has.
  public let first: LogPlace
  /// The place of the last packet.
  public let last: LogPlace

  /// Makes a standing.
  public init(first: LogPlace, last: LogPlace) {
    self.first = first
    self.last = last
  }
}

/// Packets that directly follow each other in a shared log.
public struct LogPage: Sendable {
  /// The packets with their places, in the order of the log.
  public let packets: [(place: LogPlace, packet: LogPacket)]
  /// Whether the log has more packets after them.
  public let hasMore: Bool

  /// Makes a page.
  public init(_ packets: [(place: LogPlace, packet: LogPacket)], hasMore: Bool) {
    self.packets = packets
    self.hasMore = hasMore
  }
}
