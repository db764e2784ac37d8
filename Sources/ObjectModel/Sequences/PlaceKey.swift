/// The keys of things that can be moved, in the order of bytes. There is another key between any two, so a move changes
/// one key.
///
/// A key begins with `plain` bytes. A key for the end has no further bytes. Any other key has more, and its last byte
/// is not zero.
package enum PlaceKey {
  /// A key between two keys. A `nil` `lower` is the beginning.
  package static func between(_ lower: [UInt8]?, _ upper: [UInt8], plain: Int) -> [UInt8] {
    let last = max(lower?.count ?? 0, upper.count, plain) + 1
    var key: [UInt8] = []
    // Whether the bytes so far equal the bytes of the upper key.
    var isBounded = true
    for index in 0..<last {
      let low = lower.map { index < $0.count ? Int($0[index]) : 0 } ?? 0
      let high = isBounded ? (index < upper.count ? Int(upper[index]) : 0) : 256
      if index >= plain, high - low > 1 {
        // At the front, the key is just below the upper key, so that many things can be moved there one after the
        // other.
        key.append(UInt8(lower == nil ? high - 1 : low + (high - low) / 2))
        return key
      }
      key.append(UInt8(low))
      if high > low { isBounded = false }
    }
    // Only damaged or forged keys have no key between them.
    return key + [128]
  }

  /// `count` ascending keys between two keys, as short as possible.
  package static func spread(_ count: Int, between lower: [UInt8]?, and upper: [UInt8], plain: Int) -> [[UInt8]] {
    guard count > 0 else { return [] }
    // A `nil` lower key would make `between` return a key near the upper one, so a key of zeros stands for the front.
    let lower = lower ?? [UInt8](repeating: 0, count: plain)
    let middle = between(lower, upper, plain: plain)
    let below = count / 2
    return spread(below, between: lower, and: middle, plain: plain) + [middle]
      + spread(count - below - 1, between: middle, and: upper, plain: plain)
  }
}
