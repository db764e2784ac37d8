import RepriseObjectModel

/// Looking keys up, and remembering which were looked up: those that were not are unknown to the program, and are
/// written again when the state is.
extension StateImage {
  /// What was read of a keyed container.
  struct Visit {
    let container: Int
    let first: Int
    let count: Int
    /// Where the next look-up begins, because keys are mostly asked for in the order in which they stand.
    var index = 0
    var offset: Int
    /// The pairs that were asked for, as bits; `further` holds those beyond the first 64.
    var touched: UInt64 = 0
    var further: Set<Int> = []

    mutating func touch(_ index: Int) {
      if index < 64 { touched |= 1 << UInt64(index) } else { further.insert(index) }
    }

    func isTouched(_ index: Int) -> Bool {
      index < 64 ? touched & 1 << UInt64(index) != 0 : further.contains(index)
    }
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
        visits[number].touch(index)
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
    guard visits.count != keyedContainers || visits.contains(where: { !$0.isComplete }) else { return nil }
    var seen: [Int: Visit] = [:]
    for visit in visits {
      seen[visit.container, default: visit].touched |= visit.touched
      seen[visit.container, default: visit].further.formUnion(visit.further)
    }
    return try unknownKeys(at: root, seen)
  }

  private func unknownKeys(at offset: Int, _ seen: [Int: Visit]) throws(MalformedBytes) -> UnknownKeys? {
    guard let contents = try contents(of: offset, tag: StateTag.keyed) else { return nil }
    // A type without properties asks for no container at all: then all of it is unknown.
    let visit = seen[offset]
    var unknown = UnknownKeys(image: self)
    for (index, pair) in try pairs(from: contents.first, count: contents.count).enumerated() {
      if visit?.isTouched(index) != true {
        unknown.values[pair.key] = pair.value
      } else if let nested = try unknownKeys(at: pair.value, seen) {
        unknown.nested[pair.key] = nested
      }
    }
    return unknown.values.isEmpty && unknown.nested.isEmpty ? nil : unknown
  }
}

extension StateImage.Visit {
  fileprivate var isComplete: Bool {
    count <= 64 ? touched.nonzeroBitCount == count : touched == .max && further.count == count - 64
  }
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
