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
  private var places = HashIndex()

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
    guard let number = place(of: key, Self.hash(key)), !nodes[number].isRemoved else { return nil }
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
    places.reserve(nodes.count + count)
  }

  mutating func put(_ key: UnsafeRawBufferPointer, _ bytes: UnsafeRawBufferPointer) {
    let hash = Self.hash(key)
    if let number = place(of: key, hash) {
      nodes[number].bytes = append(bytes)
      nodes[number].isRemoved = false
      return
    }
    places.insert(hash, nodes.count)
    nodes.append(Node(key: append(key), bytes: append(bytes)))
  }

  /// Its number stays taken until ``settle()``.
  mutating func remove(_ key: UnsafeRawBufferPointer) {
    if let number = place(of: key, Self.hash(key)) { nodes[number].isRemoved = true }
  }

  mutating func removeAll() { self = SceneNodes() }

  /// Gives out the numbers anew, without those that were removed.
  mutating func settle() {
    guard nodes.contains(where: \.isRemoved) else { return }
    nodes.removeAll(where: \.isRemoved)
    places = HashIndex(expecting: nodes.count)
    for (number, node) in nodes.enumerated() {
      places.insert(buffer.withUnsafeBytes { Self.hash(UnsafeRawBufferPointer(rebasing: $0[node.key])) }, number)
    }
  }

  // MARK: Places

  private mutating func append(_ bytes: UnsafeRawBufferPointer) -> Range<Int> {
    let start = buffer.count
    buffer.append(contentsOf: bytes)
    return start..<buffer.count
  }

  private static func hash(_ key: UnsafeRawBufferPointer) -> UInt64 {
    UInt64(reprise_crc32c(0, key.baseAddress, key.count))
  }

  private func place(of key: UnsafeRawBufferPointer, _ hash: UInt64) -> Int? {
    buffer.withUnsafeBytes { all in
      places.place(hash) { UnsafeRawBufferPointer(rebasing: all[nodes[$0].key]).isSame(as: key) }
    }
  }
}
