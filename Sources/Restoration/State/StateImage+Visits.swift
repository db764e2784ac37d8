import RepriseObjectModel

/// Looking keys up, and remembering which were looked up: those that were not are unknown to the program, and are
/// written again when the state is.
extension StateImage {
  /// Where the reading of a keyed container is.
  struct Visit {
    let container: Int
    let first: Int
    let count: Int
    /// Where the next look-up begins, because keys are mostly asked for in the order in which they stand.
    var index = 0
    var offset: Int
  }

  /// Begins to read the keyed container at an offset; `nil` if something else is there.
  func visit(_ offset: Int) throws(MalformedBytes) -> Int? {
    guard let contents = try contents(of: offset, tag: StateTag.keyed) else { return nil }
    visits.append(Visit(container: offset, first: contents.first, count: contents.count, offset: contents.first))
    return visits.count - 1
  }

  /// Where the value of a key begins.
  func find(_ name: String, in number: Int) throws(MalformedBytes) -> Int? {
    let visit = visits[number]
    var name = name
    var index = visit.index
    var offset = visit.offset
    for _ in 0..<visit.count {
      if index == visit.count {
        index = 0
        offset = visit.first
      }
      let pair = try pair(at: offset)
      if name.withUTF8({ key(pair.key, is: $0) }) {
        visits[number].index = index
        visits[number].offset = offset
        touched.insert(offset)
        return pair.value
      }
      offset = try end(of: pair.value)
      index += 1
    }
    return nil
  }

  /// All keys of a container, in their order, and the offsets of their values.
  func pairs(from first: Int, count: Int) throws(MalformedBytes) -> [(key: String, value: Int)] {
    var found: [(key: String, value: Int)] = []
    found.reserveCapacity(count)
    var offset = first
    for _ in 0..<count {
      let pair = try pair(at: offset)
      found.append((key(pair.key), pair.value))
      offset = try end(of: pair.value)
    }
    return found
  }

  /// The keys that no one asked for, with their values; `nil` if there are none, which is the rule.
  func unknownKeys() throws(MalformedBytes) -> UnknownKeys? {
    touched.count == pairCount ? nil : try unknownKeys(at: root)
  }

  private func unknownKeys(at offset: Int) throws(MalformedBytes) -> UnknownKeys? {
    guard let contents = try contents(of: offset, tag: StateTag.keyed) else { return nil }
    var unknown = UnknownKeys(image: self)
    var next = contents.first
    for _ in 0..<contents.count {
      let pair = try pair(at: next)
      if !touched.contains(next) {
        unknown.values[key(pair.key)] = pair.value
      } else if let nested = try unknownKeys(at: pair.value) {
        unknown.nested[key(pair.key)] = nested
      }
      next = try end(of: pair.value)
    }
    return unknown.values.isEmpty && unknown.nested.isEmpty ? nil : unknown
  }
}

/// The pairs that were asked for, by the offsets at which they stand: a bit for each byte of the state.
struct TouchedPairs {
  private var bits: ContiguousArray<UInt64> = []
  private(set) var count = 0

  /// Forgets all, for a state of so many bytes.
  mutating func clear(_ byteCount: Int) {
    bits.removeAll(keepingCapacity: true)
    bits.append(contentsOf: repeatElement(0, count: byteCount / 64 + 1))
    count = 0
  }

  mutating func insert(_ offset: Int) {
    if contains(offset) { return }
    bits[offset / 64] |= 1 << UInt64(offset % 64)
    count += 1
  }

  func contains(_ offset: Int) -> Bool { bits[offset / 64] & 1 << UInt64(offset % 64) != 0 }
}

/// What stands in a state and the program does not know: written by a newer version of it, most likely.
///
/// Kept for keyed containers within keyed containers. Elements of lists have no name to be matched by, so what is
/// unknown in them goes when the list is written again.
package struct UnknownKeys {
  let image: StateImage
  /// Offsets of values in the image.
  var values: [String: Int] = [:]
  var nested: [String: UnknownKeys] = [:]
}
