/// One byte of each row's sort key in a leaf of a ``RowTree``. With it, most steps of a binary search read no keys. The
/// byte has the eight bits after the prefix that all keys of the leaf shared when the hints were made.
///
/// Hints ascend as the keys do. A key that came later, and does not share the prefix, has the least or the greatest
/// hint. Keys with the same hint must be read to be compared.
struct RowHints {
  /// A key that begins with the shared bits.
  private let basis: [UInt8]
  private let sharedBits: Int
  /// One hint for each row. Empty if the keys of the rows were not known.
  private var hints: [UInt8]

  private init(basis: [UInt8], sharedBits: Int, hints: [UInt8]) {
    self.basis = basis
    self.sharedBits = sharedBits
    self.hints = hints
  }

  /// No hints.
  static var none: RowHints { RowHints(basis: [], sharedBits: 0, hints: []) }

  /// Makes the hints of keys in ascending order.
  init(_ keys: [[UInt8]]) {
    let first = keys.first ?? []
    let last = keys.last ?? []
    var bits = 0
    while bits / 8 < min(first.count, last.count) {
      let difference = first[bits / 8] ^ last[bits / 8]
      bits += difference.leadingZeroBitCount
      if difference != 0 { break }
    }
    self.init(basis: first, sharedBits: bits, hints: [])
    hints.reserveCapacity(keys.count)
    for key in keys { hints.append(hint(of: key)) }
  }

  var isEmpty: Bool { hints.isEmpty }

  private func hint(of key: [UInt8]) -> UInt8 {
    func byte(_ bytes: [UInt8], _ index: Int) -> UInt8 { index < bytes.count ? bytes[index] : 0 }
    let whole = sharedBits / 8
    let rest = sharedBits % 8
    for index in 0..<whole {
      let mine = byte(key, index)
      let other = byte(basis, index)
      if mine != other { return mine < other ? 0 : .max }
    }
    let mine = byte(key, whole) >> UInt8(8 - rest)
    let other = byte(basis, whole) >> UInt8(8 - rest)
    if mine != other { return mine < other ? 0 : .max }
    let window = UInt16(byte(key, whole)) << 8 | UInt16(byte(key, whole + 1))
    return UInt8(truncatingIfNeeded: (window << UInt16(rest)) >> 8)
  }

  /// The possible places of a key among these rows.
  func places(for key: [UInt8], in rows: Range<Int>) -> Range<Int> {
    if hints.isEmpty { return rows }
    let hint = hint(of: key)
    func first(from start: Int, _ isBehind: (UInt8) -> Bool) -> Int {
      var low = start
      var high = rows.upperBound
      while low < high {
        let middle = (low + high) / 2
        if isBehind(hints[middle]) { high = middle } else { low = middle + 1 }
      }
      return low
    }
    let lower = first(from: rows.lowerBound) { $0 >= hint }
    return lower..<first(from: lower) { $0 > hint }
  }

  mutating func remove(at index: Int) { if !hints.isEmpty { hints.remove(at: index) } }

  mutating func insert(_ key: [UInt8], at index: Int) { if !hints.isEmpty { hints.insert(hint(of: key), at: index) } }

  /// The hints of some of the rows.
  subscript(rows: Range<Int>) -> RowHints {
    RowHints(basis: basis, sharedBits: sharedBits, hints: hints.isEmpty ? [] : Array(hints[rows]))
  }

  /// The hints of two leaves in one. Empty if the leaves have different shared bits.
  func joined(with next: RowHints) -> RowHints {
    guard !isEmpty, !next.isEmpty, sharedBits == next.sharedBits, basis == next.basis else { return .none }
    return RowHints(basis: basis, sharedBits: sharedBits, hints: hints + next.hints)
  }

  /// The approximate memory.
  var memoryInBytes: Int { hints.count + 56 }
}
