/// An open-addressing hash table of indices into an array. Together with that array it is a dictionary without generic
/// metadata. In a new process, instantiating the metadata of a dictionary takes longer than filling it with a screen's
/// objects.
@frozen @usableFromInline package struct HashIndex: Sendable {
  /// The slots, whose number is a power of two. A free slot is 0. Any other has 32 bits of the hash, then the place
  /// plus one. At least half are free, so that a linear probe ends.
  @usableFromInline var slots: [UInt64] = []
  @usableFromInline var count = 0

  @inlinable package init() {}

  package init(expecting count: Int) { reserve(count) }

  @inlinable static func word(_ hash: UInt64, _ place: Int) -> UInt64 { hash << 32 | UInt64(place + 1) }

  @inlinable static func place(_ word: UInt64) -> Int { Int(word & 0xFFFF_FFFF) - 1 }

  /// The first slot to probe for a hash.
  @inlinable static func start(_ word: UInt64, _ mask: Int) -> Int { Int(truncatingIfNeeded: word >> 32) & mask }

  /// The place with this hash that `isIt` accepts.
  @inlinable package func place(_ hash: UInt64, _ isIt: (Int) -> Bool) -> Int? {
    if count == 0 { return nil }
    let mask = slots.count - 1
    let wanted = Self.word(hash, 0)
    var slot = Self.start(wanted, mask)
    while slots[slot] != 0 {
      let place = Self.place(slots[slot])
      if (slots[slot] ^ wanted) >> 32 == 0, isIt(place) { return place }
      slot = (slot + 1) & mask
    }
    return nil
  }

  /// Adds a place that is not in the table.
  @inlinable package mutating func insert(_ hash: UInt64, _ place: Int) {
    if (count + 1) * 2 > slots.count { reserve(max(count * 2, 8)) }
    put(Self.word(hash, place))
  }

  @inlinable mutating func put(_ word: UInt64) {
    let mask = slots.count - 1
    var slot = Self.start(word, mask)
    while slots[slot] != 0 { slot = (slot + 1) & mask }
    slots[slot] = word
    count += 1
  }

  /// Makes room for `wanted` places.
  @usableFromInline package mutating func reserve(_ wanted: Int) {
    var size = 16
    while size < wanted * 2 { size *= 2 }
    guard size > slots.count else { return }
    let old = slots
    slots = Array(repeating: 0, count: size)
    count = 0
    for word in old where word != 0 { put(word) }
  }

  /// Records that the element at `old` moved.
  @usableFromInline package mutating func move(_ hash: UInt64, from old: Int, to new: Int) {
    if let slot = slot(Self.word(hash, old)) { slots[slot] = Self.word(hash, new) }
  }

  @usableFromInline package mutating func remove(_ hash: UInt64, _ place: Int) {
    guard var free = slot(Self.word(hash, place)) else { return }
    let mask = slots.count - 1
    count -= 1
    // Later entries of the probe sequence move into the free slot, unless their probe begins after it.
    var next = (free + 1) & mask
    while slots[next] != 0 {
      if (next - Self.start(slots[next], mask)) & mask >= (next - free) & mask {
        slots[free] = slots[next]
        free = next
      }
      next = (next + 1) & mask
    }
    slots[free] = 0
  }

  private func slot(_ word: UInt64) -> Int? {
    if slots.isEmpty { return nil }
    let mask = slots.count - 1
    var slot = Self.start(word, mask)
    while slots[slot] != word {
      if slots[slot] == 0 { return nil }
      slot = (slot + 1) & mask
    }
    return slot
  }
}
