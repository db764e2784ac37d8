import CRepriseChecksums
import RepriseObjectModel

/// The nodes of a scene: their keys and bytes side by side in one buffer, found by key.
///
/// Not a dictionary: a start that has a hundred nodes to make would first make three hundred arrays and texts, and move
/// them from table to table.
package struct SceneNodes: Sendable {
  /// Where key and bytes of a node stand.
  package struct Node: Sendable {
    package let key: Range<Int>
    package fileprivate(set) var bytes: Range<Int>
    fileprivate var isRemoved = false
  }

  /// What was replaced or removed stays until all of it goes.
  package private(set) var buffer: [UInt8] = []
  package private(set) var nodes: [Node] = []
  /// One more than the number of a node, where the hash of its key leads or in the next free place; 0 is free.
  private var places: [UInt32] = []

  package init() {}

  package init(_ nodes: [String: [UInt8]]) {
    for (key, bytes) in nodes {
      var key = key
      key.withUTF8 { key in bytes.withUnsafeBytes { put(UnsafeRawBufferPointer(key), $0) } }
    }
  }

  package var isEmpty: Bool { nodes.isEmpty }

  /// The number of the node with a key; `nil` if there is none.
  package func number(of key: UnsafeRawBufferPointer) -> Int? {
    guard let number = place(of: key), !nodes[number].isRemoved else { return nil }
    return number
  }

  package func number(of key: String) -> Int? {
    var key = key
    return key.withUTF8 { number(of: UnsafeRawBufferPointer($0)) }
  }

  package var byKey: [String: [UInt8]] {
    var found: [String: [UInt8]] = [:]
    for node in nodes { found[String(decoding: buffer[node.key], as: UTF8.self)] = [UInt8](buffer[node.bytes]) }
    return found
  }

  // MARK: Changing

  /// Makes room for so many more.
  mutating func reserve(_ count: Int, byteCount: Int) {
    buffer.reserveCapacity(buffer.count + byteCount)
    nodes.reserveCapacity(nodes.count + count)
    let wanted = (nodes.count + count) * 2
    if wanted > places.count { spread(over: wanted) }
  }

  mutating func put(_ key: UnsafeRawBufferPointer, _ bytes: UnsafeRawBufferPointer) {
    if let number = place(of: key) {
      nodes[number].bytes = append(bytes)
      nodes[number].isRemoved = false
      return
    }
    if (nodes.count + 1) * 2 > places.count { spread(over: (nodes.count + 1) * 2) }
    enter(nodes.count, Self.hash(key))
    nodes.append(Node(key: append(key), bytes: append(bytes)))
  }

  /// Its number stays taken until ``settle()``.
  mutating func remove(_ key: UnsafeRawBufferPointer) {
    if let number = place(of: key) { nodes[number].isRemoved = true }
  }

  mutating func removeAll() { self = SceneNodes() }

  /// Gives out the numbers anew, without those that were removed.
  mutating func settle() {
    guard nodes.contains(where: \.isRemoved) else { return }
    nodes.removeAll(where: \.isRemoved)
    spread(over: nodes.count * 2)
  }

  // MARK: Places

  private mutating func append(_ bytes: UnsafeRawBufferPointer) -> Range<Int> {
    let start = buffer.count
    buffer.append(contentsOf: bytes)
    return start..<buffer.count
  }

  private static func hash(_ key: UnsafeRawBufferPointer) -> Int { Int(reprise_crc32c(0, key.baseAddress, key.count)) }

  private func place(of key: UnsafeRawBufferPointer) -> Int? {
    if places.isEmpty { return nil }
    var place = Self.hash(key) & (places.count - 1)
    while places[place] != 0 {
      let number = Int(places[place]) - 1
      let range = nodes[number].key
      if buffer.withUnsafeBytes({ UnsafeRawBufferPointer(rebasing: $0[range]).isSame(as: key) }) { return number }
      place = (place + 1) & (places.count - 1)
    }
    return nil
  }

  private mutating func enter(_ number: Int, _ hash: Int) {
    var place = hash & (places.count - 1)
    while places[place] != 0 { place = (place + 1) & (places.count - 1) }
    places[place] = UInt32(number + 1)
  }

  /// To a power of two, so that at least half is free and a search ends soon.
  private mutating func spread(over count: Int) {
    var size = 16
    while size < count { size *= 2 }
    places = [UInt32](repeating: 0, count: size)
    for number in nodes.indices {
      let key = nodes[number].key
      enter(number, buffer.withUnsafeBytes { Self.hash(UnsafeRawBufferPointer(rebasing: $0[key])) })
    }
  }
}
