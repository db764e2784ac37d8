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
    return hash.value
  }
}

extension Hash {
  fileprivate mutating func add(_ item: ItemFacts) {
    add(item.name)
    add(item.serial)
    add(item.notes)
    add(item.value)
    add(item.ticks)
    add(item.hasOwner ? 1 : 0)
  }
}
