import CWorkload

/// What a restore brought back: held until the clock has stopped, then hashed. Equal in all peers.
public struct RestoredFacts {
  public var rows: [ItemFacts] = []
  public var rank = -1
  public var edited: [ItemFacts] = []
  /// Title and offset of each screen, by its number.
  public var screens: [(title: String, offset: Double)] = []

  public init() {}

  public var hash: Int {
    var hash = Hash()
    hash.add(rows.count)
    for row in rows { hash.add(row) }
    hash.add(rank)
    for row in edited { hash.add(row) }
    hash.add(screens.count)
    for screen in screens {
      hash.add(screen.title)
      hash.add(Int(screen.offset * 8))
    }
    return Int(hash.value >> 1)
  }
}

private struct Hash {
  var value = workload_hash_begin()

  mutating func add(_ text: String) {
    var text = text
    value = text.withUTF8 { workload_hash_bytes(value, $0.baseAddress, $0.count) }
  }

  mutating func add(_ integer: Int) { value = workload_hash_integer(value, Int64(integer)) }

  mutating func add(_ item: ItemFacts) {
    add(item.name)
    add(item.serial)
    add(item.notes)
    add(item.value)
    add(item.ticks)
    add(item.hasOwner ? 1 : 0)
  }
}
