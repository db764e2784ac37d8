/// The keys of things that can be moved, in the order of bytes. There is another key between any two, so a move changes
/// one key.
///
/// A key begins with so many plain bytes. A key for the end has no more bytes. Any other key has more, and its last
/// byte is not zero.
package enum PlaceKey {
  /// A key between two keys. `nil` is the key before all.
  package static func between(_ lower: [UInt8]?, _ upper: [UInt8], plain: Int) -> [UInt8] {
    let last = max(lower?.count ?? 0, upper.count, plain) + 1
    var key: [UInt8] = []
    // Whether the digits so far equal the digits of the upper key.
    var isBounded = true
    for index in 0..<last {
      let low = lower.map { index < $0.count ? Int($0[index]) : 0 } ?? 0
      let high = isBounded ? (index < upper.count ? Int(upper[index]) : 0) : 256
      if index >= plain, high - low > 1 {
        // If things are moved to the front one after the other, each gets a key just before the last one's.
        key.append(UInt8(lower == nil ? high - 1 : low + (high - low) / 2))
        return key
      }
      key.append(UInt8(low))
      if high > low { isBounded = false }
    }
    // Only damage or forgery makes keys with nothing between them.
    return key + [128]
  }

  /// So many keys between two keys, ascending, and as short as possible.
  package static func spread(_ count: Int, between lower: [UInt8]?, and upper: [UInt8], plain: Int) -> [[UInt8]] {
    guard count > 0 else { return [] }
    // The front is unbounded, and has no middle.
    let lower = lower ?? [UInt8](repeating: 0, count: plain)
    let middle = between(lower, upper, plain: plain)
    let below = count / 2
    return spread(below, between: lower, and: middle, plain: plain) + [middle]
      + spread(count - below - 1, between: middle, and: upper, plain: plain)
  }
}
