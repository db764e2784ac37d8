/// How many live nodes show each screen.
///
/// A table of addresses instead of a dictionary by identity, which at a start costs more to make than all of its
/// look-ups. A screen that is counted is held by a node, so its address is no other's.
struct ScreenCounts {
  /// The address, where its hash leads or in the next free place; 0 is free.
  private var screens: [Int] = []
  /// 0 for one that is no longer shown; its place is free again when the table grows.
  private var counts: [Int] = []
  private var taken = 0

  /// Counts one more.
  ///
  /// - Returns: Whether another node shows it.
  mutating func add(_ screen: AnyObject) -> Bool {
    if (taken + 1) * 2 > screens.count { grow() }
    let place = place(of: Self.address(screen))
    let before = counts[place]
    if screens[place] == 0 { taken += 1 }
    screens[place] = Self.address(screen)
    counts[place] = before + 1
    return before > 0
  }

  /// Counts one less.
  mutating func remove(_ screen: AnyObject) {
    if screens.isEmpty { return }
    let place = place(of: Self.address(screen))
    if counts[place] > 0 { counts[place] -= 1 }
  }

  private static func address(_ screen: AnyObject) -> Int { Int(bitPattern: ObjectIdentifier(screen)) }

  private func place(of address: Int) -> Int {
    // By the golden ratio: addresses are multiples of 16, and often of the size of what they lead to.
    let hash = (UInt64(bitPattern: Int64(address)) &* 0x9E37_79B9_7F4A_7C15) >> 32
    var place = Int(truncatingIfNeeded: hash) & (screens.count - 1)
    while screens[place] != 0, screens[place] != address { place = (place + 1) & (screens.count - 1) }
    return place
  }

  private mutating func grow() {
    let (oldScreens, oldCounts) = (screens, counts)
    let live = oldCounts.count { $0 > 0 }
    var size = 256
    while size < live * 4 { size *= 2 }
    screens = [Int](repeating: 0, count: size)
    counts = [Int](repeating: 0, count: size)
    taken = live
    for (screen, count) in zip(oldScreens, oldCounts) where count > 0 {
      let place = place(of: screen)
      screens[place] = screen
      counts[place] = count
    }
  }
}
