import RepriseObjectModel

/// How many live nodes show each screen.
///
/// Screens are identified by their addresses. A node retains each counted screen, so no other object has its address.
struct ScreenCounts {
  private var places = HashIndex()
  private var screens: [Int] = []
  private var counts: [Int] = []

  /// Whether a node shows a screen.
  func contains(_ screen: AnyObject) -> Bool { place(of: Int(bitPattern: ObjectIdentifier(screen))) != nil }

  /// Counts one more node that shows a screen.
  mutating func add(_ screen: AnyObject) {
    let address = Int(bitPattern: ObjectIdentifier(screen))
    if let place = place(of: address) {
      counts[place] += 1
      return
    }
    places.insert(Self.hash(address), screens.count)
    screens.append(address)
    counts.append(1)
  }

  /// Counts one node less that shows a screen.
  mutating func remove(_ screen: AnyObject) {
    let address = Int(bitPattern: ObjectIdentifier(screen))
    guard let place = place(of: address) else { return }
    counts[place] -= 1
    guard counts[place] == 0 else { return }
    places.remove(Self.hash(address), place)
    let (last, count) = (screens.removeLast(), counts.removeLast())
    guard place < screens.count else { return }
    places.move(Self.hash(last), from: screens.count, to: place)
    (screens[place], counts[place]) = (last, count)
  }

  private func place(of address: Int) -> Int? { places.place(Self.hash(address)) { screens[$0] == address } }

  /// Fibonacci hashing: addresses are multiples of 16, and often of their objects' size.
  private static func hash(_ address: Int) -> UInt64 {
    (UInt64(bitPattern: Int64(address)) &* 0x9E37_79B9_7F4A_7C15) >> 32
  }
}
