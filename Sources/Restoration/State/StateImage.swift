import RepriseObjectModel

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The bytes of one state, validated as a whole at first, and read in place.
///
/// Version (1), number of keys, the keys (length, UTF-8), one value. Each value begins with a ``StateTag``, so the
/// bytes can be walked, skipped and copied without their type. Therefore, keys that the program does not know survive.
/// Each length and count is checked against the available bytes before use.
///
/// A class, because decoders refer to it as long as a type's initialiser retains them. It is reused for the next state
/// once nothing refers to the last one. So a hundred small states need few allocations.
final class StateImage {
  static let version: UInt8 = 1

  // Every look-up reads these, and nothing called during an access leads back here.
  @exclusivity(unchecked) private(set) var bytes = UnsafeRawBufferPointer(start: nil, count: 0)
  /// Where each key begins and ends. The arrays are not emptied between states, so they may hold more than counts.
  @exclusivity(unchecked) private var keys: [Int] = []
  @exclusivity(unchecked) private(set) var keyCount = 0
  @exclusivity(unchecked) private(set) var root = 0
  /// The pairs of all keyed containers, in stored order.
  @exclusivity(unchecked) private(set) var pairs: [Pair] = []
  @exclusivity(unchecked) private(set) var pairCount = 0
  @exclusivity(unchecked) var visits: [Visit] = []
  @exclusivity(unchecked) var visitCount = 0
  @exclusivity(unchecked) var touched = TouchedPairs()

  struct Pair {
    let offset: Int
    let key: Int
    let value: Int
    /// The number of the next pair that is neither this one nor within its value.
    var next = 0
  }

  /// The memory whose beginning is `bytes`. This object owns and frees it.
  private var storage = UnsafeMutableRawBufferPointer(start: nil, count: 0)

  init() {}

  convenience init(_ source: ArraySlice<UInt8>) throws(StateCodingError) {
    self.init()
    try load(source)
  }

  deinit { storage.deallocate() }

  func load(_ source: ArraySlice<UInt8>) throws(StateCodingError) {
    if let version = source.first, version > Self.version { throw .newerFormat(version) }
    if storage.count < source.count {
      storage.deallocate()
      storage = .allocate(byteCount: max(256, source.count), alignment: 1)
    }
    source.withUnsafeBytes { storage.copyMemory(from: $0) }
    bytes = UnsafeRawBufferPointer(rebasing: storage[..<source.count])
    keyCount = 0
    visitCount = 0
    pairCount = 0
    do throws(MalformedBytes) { try check() } catch { throw .malformed(error) }
    touched.clear(pairCount)
  }

  func reader(at offset: Int) -> ByteReader {
    var reader = ByteReader(bytes)
    reader.offset = offset
    return reader
  }

  func key(_ number: Int) -> String {
    String(decoding: bytes[keys[number * 2]..<keys[number * 2 + 1]], as: UTF8.self)
  }

  func key(_ number: Int, is name: UnsafeBufferPointer<UInt8>) -> Bool {
    let start = keys[number * 2]
    guard keys[number * 2 + 1] - start == name.count else { return false }
    guard let base = bytes.baseAddress, let other = name.baseAddress else { return name.isEmpty }
    return memcmp(base + start, other, name.count) == 0
  }

  private func addKey(_ start: Int, _ end: Int) {
    if keyCount * 2 == keys.count {
      keys.append(start)
      keys.append(end)
    } else {
      keys[keyCount * 2] = start
      keys[keyCount * 2 + 1] = end
    }
    keyCount += 1
  }
}

// MARK: - Checking

extension StateImage {
  private func check() throws(MalformedBytes) {
    var reader = ByteReader(bytes)
    guard try reader.byte("the version of a state") != 0 else { throw MalformedBytes("the version of a state", at: 0) }
    let count = try reader.count("a possible number of keys")
    guard count <= StateLimits.elements else { throw reader.fail("a possible number of keys") }
    for _ in 0..<count {
      let length = try reader.sized("a key").count
      addKey(reader.offset - length, reader.offset)
    }
    root = reader.offset
    try check(&reader, depth: 0)
    try reader.expectEnd("the end of the state")
  }

  private func check(_ reader: inout ByteReader, depth: Int) throws(MalformedBytes) {
    let tag = try reader.byte("a value")
    guard tag < StateTag.small else { return }
    switch tag {
    case StateTag.null, StateTag.no, StateTag.yes: return
    case StateTag.natural, StateTag.negative: _ = try reader.varint()
    case StateTag.wide, StateTag.unsignedWide: _ = try reader.take(16, "a number")
    case StateTag.double: _ = try reader.take(8, "a number")
    case StateTag.float: _ = try reader.take(4, "a number")
    case StateTag.text, StateTag.bytes, StateTag.reference: _ = try reader.sized()
    case StateTag.list, StateTag.keyed:
      guard depth < StateLimits.depth else { throw reader.fail("at most 64 containers within containers") }
      let length = try reader.count("the length of a container")
      let end = reader.offset + length
      let isKeyed = tag == StateTag.keyed
      let count = try reader.count(of: isKeyed ? 2 : 1, "a possible number of elements")
      guard count <= StateLimits.elements else { throw reader.fail("a possible number of elements") }
      for _ in 0..<count {
        let pair = pairCount
        if isKeyed {
          let offset = reader.offset
          let key = try reader.varint("a key's number")
          guard key < UInt64(keyCount) else { throw reader.fail("a key's number") }
          addPair(Pair(offset: offset, key: Int(key), value: reader.offset))
        }
        try check(&reader, depth: depth + 1)
        if isKeyed { pairs[pair].next = pairCount }
        guard reader.offset <= end else { throw reader.fail("the end of a container") }
      }
      guard reader.offset == end else { throw reader.fail("the end of a container") }
    default: throw reader.fail("a known kind of value")
    }
  }
}

// MARK: - Pairs

extension StateImage {
  private func addPair(_ pair: Pair) {
    if pairCount < pairs.count { pairs[pairCount] = pair } else { pairs.append(pair) }
    pairCount += 1
  }

  /// The numbers of the pairs in a keyed container and within its values. `nil` if something else is at the offset.
  func pairs(of offset: Int) throws(MalformedBytes) -> Range<Int>? {
    guard tag(at: offset) == StateTag.keyed else { return nil }
    let first = firstPair(from: offset)
    return first..<max(first, firstPair(from: try end(of: offset)))
  }

  /// The number of the first pair at or after an offset.
  private func firstPair(from offset: Int) -> Int {
    var (low, high) = (0, pairCount)
    while low < high {
      let middle = (low + high) / 2
      if pairs[middle].offset < offset { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

// MARK: - Walking

extension StateImage {
  /// The offset after a value.
  func end(of offset: Int) throws(MalformedBytes) -> Int {
    var reader = reader(at: offset)
    let tag = try reader.byte()
    guard tag < StateTag.small else { return reader.offset }
    switch tag {
    case StateTag.null, StateTag.no, StateTag.yes: break
    case StateTag.natural, StateTag.negative: _ = try reader.varint()
    case StateTag.wide, StateTag.unsignedWide: _ = try reader.take(16)
    case StateTag.double: _ = try reader.take(8)
    case StateTag.float: _ = try reader.take(4)
    default: _ = try reader.sized()
    }
    return reader.offset
  }

  /// Where the elements of a container begin, and how many there are. `nil` if the value is something else.
  func contents(of offset: Int, tag: UInt8) throws(MalformedBytes) -> (first: Int, count: Int)? {
    var reader = reader(at: offset)
    guard try reader.byte() == tag else { return nil }
    _ = try reader.varint()
    let count = try reader.count()
    return (reader.offset, count)
  }

  func tag(at offset: Int) -> UInt8 { offset < bytes.count ? bytes[offset] : StateTag.null }

  /// The number of the key at an offset, and where its value begins.
  func pair(at offset: Int) throws(MalformedBytes) -> (key: Int, value: Int) {
    var reader = reader(at: offset)
    let key = try reader.varint()
    guard key < UInt64(keyCount) else { throw reader.fail("a key's number") }
    return (Int(key), reader.offset)
  }

  /// The path from the root to a value, for error messages and for types that ask. O(size of the state).
  func path(to target: Int) -> [any CodingKey] {
    var path: [any CodingKey] = []
    var here = root
    while here < target, let step = try? step(from: here, towards: target) {
      path.append(step.key)
      here = step.value
    }
    return path
  }

  private func step(from offset: Int, towards target: Int) throws(MalformedBytes) -> (key: StateKey, value: Int)? {
    let isKeyed = tag(at: offset) == StateTag.keyed
    guard let contents = try contents(of: offset, tag: isKeyed ? StateTag.keyed : StateTag.list) else { return nil }
    var next = contents.first
    for index in 0..<contents.count {
      var value = next
      var key = StateKey(intValue: index)
      if isKeyed {
        let pair = try pair(at: next)
        value = pair.value
        key = StateKey(stringValue: self.key(pair.key))
      }
      next = try end(of: value)
      if target < next { return target < value ? nil : (key, value) }
    }
    return nil
  }
}
