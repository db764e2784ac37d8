import RepriseObjectModel

/// The ``PlaceKey`` that orders a node among its siblings.
///
/// For a node that was never moved among its siblings, the key is the eight big-endian bytes of its order. So no two
/// keys are equal, and a move writes only one record.
enum SiblingKey {
  /// Beyond this length, neighbours get new, shorter keys.
  static let longest = 32
  private static let plain = 8

  static func of(order: UInt64) -> [UInt8] { withUnsafeBytes(of: order.bigEndian) { [UInt8]($0) } }

  /// The order at or before a key. The key of a moved node lies between two orders, whose nodes may no longer exist.
  static func order(of key: [UInt8]) -> UInt64 { key.prefix(plain).reduce(0) { $0 << 8 | UInt64($1) } }

  static func isBefore(_ left: [UInt8], _ right: [UInt8]) -> Bool { left.lexicographicallyPrecedes(right) }

  static func between(_ lower: [UInt8]?, _ upper: [UInt8]) -> [UInt8] {
    PlaceKey.between(lower, upper, plain: plain)
  }

  static func spread(_ count: Int, between lower: [UInt8]?, and upper: [UInt8]) -> [[UInt8]] {
    PlaceKey.spread(count, between: lower, and: upper, plain: plain)
  }
}
