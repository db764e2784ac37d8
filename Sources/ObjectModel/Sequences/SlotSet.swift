/// Slots of an entity's properties.
///
/// Each slot is a bit. A `Set<Int>` would allocate, and its type would be instantiated at each start of a process.
@frozen @usableFromInline package struct SlotSet: Hashable, Sendable {
  /// Slots 0 to 63, which is all that most entities have.
  @usableFromInline var first: UInt64 = 0
  /// 64 slots in each word. The last word is never zero, so that equal sets have equal words.
  @usableFromInline var rest: [UInt64] = []

  @inlinable package init() {}

  @inlinable package init(_ slots: some Sequence<Int>) { for slot in slots { insert(slot) } }

  @inlinable package var isEmpty: Bool { first == 0 && rest.isEmpty }

  @inlinable package func contains(_ slot: Int) -> Bool {
    if slot < 64 { return slot >= 0 && first & 1 << UInt64(slot) != 0 }
    let word = slot / 64 - 1
    return word < rest.count && rest[word] & 1 << UInt64(slot % 64) != 0
  }

  @inlinable package mutating func insert(_ slot: Int) {
    if slot < 64 {
      first |= 1 << UInt64(slot)
    } else {
      while rest.count < slot / 64 { rest.append(0) }
      rest[slot / 64 - 1] |= 1 << UInt64(slot % 64)
    }
  }

  @inlinable package mutating func formUnion(_ other: SlotSet) {
    first |= other.first
    while rest.count < other.rest.count { rest.append(0) }
    for word in other.rest.indices { rest[word] |= other.rest[word] }
  }

  @inlinable package func union(_ other: SlotSet) -> SlotSet {
    var union = self
    union.formUnion(other)
    return union
  }

  @inlinable package func isSubset(of other: SlotSet) -> Bool { union(other) == other }

  @inlinable package func isDisjoint(with slots: some Sequence<Int>) -> Bool { !slots.contains { contains($0) } }

  /// Ascending.
  @inlinable package var sorted: [Int] {
    var slots: [Int] = []
    for (word, bits) in ([first] + rest).enumerated() {
      var bits = bits
      while bits != 0 {
        slots.append(word * 64 + bits.trailingZeroBitCount)
        bits &= bits - 1
      }
    }
    return slots
  }
}

extension SlotSet: ExpressibleByArrayLiteral {
  @inlinable package init(arrayLiteral slots: Int...) { self.init(slots) }
}
