import RepriseObjectModel

/// Finds keys, and remembers the keys that were found. All other keys are unknown to the program, and are written back
/// with the state.
extension StateImage {
  /// A keyed container that is being read.
  struct Visit {
    let pairs: Range<Int>
    /// The pair where the next look-up begins: keys are mostly asked for in stored order.
    var current: Int
  }

  /// Begins to read the keyed container at an offset. `nil` if something else is there.
  func visit(_ offset: Int) throws(MalformedBytes) -> Int? {
    guard let pairs = try pairs(of: offset) else { return nil }
    let visit = Visit(pairs: pairs, current: pairs.lowerBound)
    if visitCount < visits.count { visits[visitCount] = visit } else { visits.append(visit) }
    visitCount += 1
    return visitCount - 1
  }

  /// The offset of a key's value.
  func find(_ name: String, in number: Int) -> Int? {
    // Only strings bridged from other languages are not contiguous.
    if let found = name.utf8.withContiguousStorageIfAvailable({ find($0, in: number) }) { return found }
    var name = name
    return name.withUTF8 { find($0, in: number) }
  }

  private func find(_ name: UnsafeBufferPointer<UInt8>, in number: Int) -> Int? {
    let visit = visits[number]
    if visit.pairs.isEmpty { return nil }
    var pair = visit.current
    repeat {
      if key(pairs[pair].key, is: name) {
        visits[number].current = pair
        touched.insert(pair)
        return pairs[pair].value
      }
      pair = pairs[pair].next
      if pair == visit.pairs.upperBound { pair = visit.pairs.lowerBound }
    } while pair != visit.current
    return nil
  }

  /// A container's keys, in stored order.
  func keys(in number: Int) -> [String] {
    var found: [String] = []
    var pair = visits[number].pairs.lowerBound
    while pair < visits[number].pairs.upperBound {
      found.append(key(pairs[pair].key))
      pair = pairs[pair].next
    }
    return found
  }

  /// The keys that the type did not read, with their values. `nil` if there are none, as usual.
  func unknownKeys() throws(MalformedBytes) -> UnknownKeys? {
    touched.count == pairCount ? nil : try unknownKeys(at: root)
  }

  private func unknownKeys(at offset: Int) throws(MalformedBytes) -> UnknownKeys? {
    guard let range = try pairs(of: offset) else { return nil }
    var unknown = UnknownKeys(image: self)
    var pair = range.lowerBound
    while pair < range.upperBound {
      let (name, value) = (key(pairs[pair].key), pairs[pair].value)
      if !touched.contains(pair) {
        unknown.values[name] = value
      } else if let nested = try unknownKeys(at: value) {
        unknown.nested[name] = nested
      }
      pair = pairs[pair].next
    }
    return unknown.values.isEmpty && unknown.nested.isEmpty ? nil : unknown
  }
}

/// The pairs that were decoded, one bit each.
struct TouchedPairs {
  private var words: [UInt32] = []
  private(set) var count = 0

  /// Clears all, for a state with this many pairs.
  mutating func clear(_ pairCount: Int) {
    count = 0
    let needed = pairCount >> 5 + 1
    for word in 0..<min(needed, words.count) { words[word] = 0 }
    while words.count < needed { words.append(0) }
  }

  mutating func insert(_ pair: Int) {
    let bit = UInt32(1) << UInt32(pair & 31)
    if words[pair >> 5] & bit != 0 { return }
    words[pair >> 5] |= bit
    count += 1
  }

  func contains(_ pair: Int) -> Bool { words[pair >> 5] & UInt32(1) << UInt32(pair & 31) != 0 }
}

/// The keys of a state that the program does not know. A newer version of it probably wrote them.
///
/// Kept for keyed containers within keyed containers. Elements of lists have no names, so their unknown keys are lost
/// when the list is written again.
package struct UnknownKeys {
  let image: StateImage
  /// Offsets of values in the image.
  var values: [String: Int] = [:]
  var nested: [String: UnknownKeys] = [:]
}
