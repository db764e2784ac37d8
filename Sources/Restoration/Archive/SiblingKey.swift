/// Where a node stands among its siblings: keys in the order of bytes, between any two of which there is another.
///
/// A node that was never moved among its siblings has the eight bytes of its order, the largest digit first; others
/// have more, the last of which is not zero. So no two are equal, and one record is written for a node that is moved.
enum SiblingKey {
  /// Beyond this length, neighbours are given shorter keys.
  static let longest = 32
  private static let plain = 8

  static func of(order: UInt64) -> [UInt8] { withUnsafeBytes(of: order.bigEndian) { [UInt8]($0) } }

  static func isBefore(_ left: [UInt8], _ right: [UInt8]) -> Bool { left.lexicographicallyPrecedes(right) }

  /// A key between two others; `nil` is the key before all.
  static func between(_ lower: [UInt8]?, _ upper: [UInt8]) -> [UInt8] {
    let last = max(lower?.count ?? 0, upper.count, plain) + 1
    var key: [UInt8] = []
    // Whether the digits so far are those of the upper key.
    var isBounded = true
    for index in 0..<last {
      let low = lower.map { index < $0.count ? Int($0[index]) : 0 } ?? 0
      let high = isBounded ? (index < upper.count ? Int(upper[index]) : 0) : 256
      if index >= plain, high - low > 1 {
        // Nodes that are moved to the front, one after the other, each come just before the last.
        key.append(UInt8(lower == nil ? high - 1 : low + (high - low) / 2))
        return key
      }
      key.append(UInt8(low))
      if high > low { isBounded = false }
    }
    // Only a damaged or forged archive has keys with nothing between them.
    return key + [128]
  }

  /// So many keys between two others, ascending, and as short as can be.
  static func spread(_ count: Int, between lower: [UInt8]?, and upper: [UInt8]) -> [[UInt8]] {
    guard count > 0 else { return [] }
    // The front is unbounded, and has no middle.
    let lower = lower ?? [UInt8](repeating: 0, count: plain)
    let middle = between(lower, upper)
    let below = count / 2
    return spread(below, between: lower, and: middle) + [middle]
      + spread(count - below - 1, between: middle, and: upper)
  }
}
