import CRepriseChecksums
import RepriseObjectModel

/// The nodes of a scene: their keys and bytes side by side in one buffer, found by key.
///
/// Not a dictionary: a start that has a hundred nodes to make would first make three hundred arrays and texts, and move
/// them from table to table.
package struct SceneNodes: Sendable {
  private struct Node: Sendable {
    let key: Range<Int>
    /// `nil` for one that was removed.
    var bytes: Range<Int>?
  }

  /// What was replaced or removed stays until all of it goes.
  private var buffer: [UInt8] = []
  private var nodes: [Node] = []
  /// One more than the number of a node, where the hash of its key leads or in the next free place; 0 is free.
  private var places: [UInt32] = []
  package private(set) var count = 0

  package init() {}

  package init(_ nodes: [String: [UInt8]]) {
    for (key, bytes) in nodes {
      var key = key
      key.withUTF8 { key in bytes.withUnsafeBytes { put(UnsafeRawBufferPointer(key), $0) } }
    }
  }

  package var isEmpty: Bool { count == 0 }

  /// The numbers of nodes, some of which may be gone.
  package var numbers: Range<Int> { nodes.indices }

  /// Makes room for so many more.
  mutating func reserve(_ count: Int, byteCount: Int) {
    buffer.reserveCapacity(buffer.count + byteCount)
    nodes.reserveCapacity(nodes.count + count)
    let wanted = (nodes.count + count) * 2
    if wanted > places.count { spread(over: wanted) }
  }

  mutating func put(_ key: UnsafeRawBufferPointer, _ bytes: UnsafeRawBufferPointer) {
    let number: Int
    if let known = place(of: key) {
      number = known
    } else {
      if (nodes.count + 1) * 2 > places.count { spread(over: (nodes.count + 1) * 2) }
      number = nodes.count
      nodes.append(Node(key: append(key), bytes: nil))
      enter(number, Self.hash(key))
    }
    if nodes[number].bytes == nil { count += 1 }
    nodes[number].bytes = append(bytes)
  }

  mutating func remove(_ key: UnsafeRawBufferPointer) {
    guard let number = place(of: key), nodes[number].bytes != nil else { return }
    nodes[number].bytes = nil
    count -= 1
  }

  mutating func removeAll() { self = SceneNodes() }

  /// The number of the node with a key; `nil` if there is none.
  package func number(of key: UnsafeRawBufferPointer) -> Int? {
    guard let number = place(of: key), nodes[number].bytes != nil else { return nil }
    return number
  }

  package func number(of key: String) -> Int? {
    var key = key
    return key.withUTF8 { number(of: UnsafeRawBufferPointer($0)) }
  }

  /// Lends key and bytes of a node; `nil` if it is gone.
  @discardableResult
  package func read<Result, Failure: Error>(
    _ number: Int, _ body: (_ key: UnsafeRawBufferPointer, _ bytes: UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result? {
    let node = nodes[number]
    guard let bytes = node.bytes else { return nil }
    return try buffer.lend { all throws(Failure) in
      try body(UnsafeRawBufferPointer(rebasing: all[node.key]), UnsafeRawBufferPointer(rebasing: all[bytes]))
    }
  }

  package var byKey: [String: [UInt8]] {
    var found: [String: [UInt8]] = [:]
    for number in numbers {
      read(number) { key, bytes in found[String(decoding: key, as: UTF8.self)] = [UInt8](bytes) }
    }
    return found
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
      if buffer.lend({ UnsafeRawBufferPointer(rebasing: $0[range]).isSame(as: key) }) { return number }
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
      enter(number, buffer.lend { Self.hash(UnsafeRawBufferPointer(rebasing: $0[key])) })
    }
  }
}
