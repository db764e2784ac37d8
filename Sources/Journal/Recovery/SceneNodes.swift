import CRepriseChecksums
import RepriseLog
import RepriseObjectModel

/// The nodes of a scene, looked up by key. Keys and bytes share one buffer.
///
/// Not a dictionary: a launch with a hundred nodes would allocate three hundred arrays and strings, and rehash them
/// repeatedly.
package struct SceneNodes: Sendable {
  /// Where a node's key and bytes are in the buffer.
  package struct Node: Sendable {
    package let key: Range<Int>
    package fileprivate(set) var bytes: Range<Int>
    fileprivate(set) var isRemoved = false
  }

  /// Replaced and removed bytes stay until the whole buffer goes.
  package private(set) var buffer: [UInt8] = []
  package private(set) var nodes: [Node] = []
  private var places = HashIndex()
  /// Whether ``places`` has all nodes.
  private var isIndexed = true

  package init() {}

  package init(_ nodes: [String: [UInt8]]) {
    for (key, bytes) in nodes {
      var key = key
      key.withUTF8 { key in bytes.withUnsafeBytes { put(UnsafeRawBufferPointer(key), $0) } }
    }
  }

  package var isEmpty: Bool { nodes.isEmpty }

  /// The number of the node with a key. `nil` if it does not exist. O(1), unless nodes were appended since ``index()``.
  package func number(of key: UnsafeRawBufferPointer) -> Int? {
    guard let number = place(of: key, Self.hash(key)), !nodes[number].isRemoved else { return nil }
    return number
  }

  package func number(of key: String) -> Int? {
    var key = key
    return key.withUTF8 { number(of: UnsafeRawBufferPointer($0)) }
  }

  /// Whether a node was put or removed.
  func hasChange(of key: UnsafeRawBufferPointer) -> Bool { !nodes.isEmpty && place(of: key, Self.hash(key)) != nil }

  package var byKey: [String: [UInt8]] {
    var found: [String: [UInt8]] = [:]
    for node in nodes { found[String(decoding: buffer[node.key], as: UTF8.self)] = [UInt8](buffer[node.bytes]) }
    return found
  }

  // MARK: Changing

  /// Reserves room for additional nodes.
  mutating func reserve(_ count: Int, byteCount: Int) {
    buffer.reserveCapacity(buffer.count + byteCount)
    nodes.reserveCapacity(nodes.count + count)
    places.reserve(nodes.count + count)
  }

  /// Adds a node with a new key without a look-up. Most archives are read in one pass, and no caller looks up a key.
  mutating func append(_ key: UnsafeRawBufferPointer, _ bytes: UnsafeRawBufferPointer) {
    isIndexed = false
    nodes.append(Node(key: append(key), bytes: append(bytes)))
  }

  /// Makes keys quick to look up, if they are not.
  package mutating func index() {
    if isIndexed { return }
    isIndexed = true
    places = HashIndex(expecting: nodes.count)
    for (number, node) in nodes.enumerated() {
      places.insert(buffer.withUnsafeBytes { Self.hash(UnsafeRawBufferPointer(rebasing: $0[node.key])) }, number)
    }
  }

  mutating func put(_ key: UnsafeRawBufferPointer, _ bytes: UnsafeRawBufferPointer) {
    index()
    let hash = Self.hash(key)
    if let number = place(of: key, hash) {
      nodes[number].bytes = append(bytes)
      nodes[number].isRemoved = false
      return
    }
    places.insert(hash, nodes.count)
    nodes.append(Node(key: append(key), bytes: append(bytes)))
  }

  /// The node's number stays taken until ``settle()``, also if there was none.
  mutating func remove(_ key: UnsafeRawBufferPointer) {
    index()
    let hash = Self.hash(key)
    if let number = place(of: key, hash) {
      nodes[number].isRemoved = true
      return
    }
    places.insert(hash, nodes.count)
    let end = buffer.count + key.count
    nodes.append(Node(key: append(key), bytes: end..<end, isRemoved: true))
  }

  mutating func removeAll() { self = SceneNodes() }

  /// Renumbers the nodes, leaving out removed ones.
  mutating func settle() {
    guard nodes.contains(where: \.isRemoved) else { return }
    nodes.removeAll(where: \.isRemoved)
    isIndexed = false
    index()
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
      if !isIndexed {
        return nodes.firstIndex { UnsafeRawBufferPointer(rebasing: all[$0.key]).isSame(as: key) }
      }
      return places.place(hash) { UnsafeRawBufferPointer(rebasing: all[nodes[$0].key]).isSame(as: key) }
    }
  }
}
