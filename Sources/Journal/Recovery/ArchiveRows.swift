import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// The rows of a scene in the table `archives`, a node each.
///
/// Key, before the number of the chunk: hash of the scene 16, hash of the node's group 16, hash of the node's key 16.
/// Value: CRC-32C, scene, key, bytes. The **group** is the node's key up to and including its last slash. So the
/// children of a screen have the same group, and their rows are adjacent.
package struct ArchiveRows: Sendable {
  private let scene: JournalTopic
  private let table: Table
  /// The size of a row's key without the number of the chunk.
  package static let keySize = 48
  /// The size of the beginning that the keys of a scene share.
  package static let sceneSize = 16

  init(_ scene: JournalTopic, _ table: Table) {
    self.scene = scene
    self.table = table
  }

  // MARK: Keys

  static func group(of node: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    let slash = node.lastIndex(of: UInt8(ascii: "/"))
    return UnsafeRawBufferPointer(rebasing: node[..<(slash.map { $0 + 1 } ?? 0)])
  }

  private func key(ofGroup group: UnsafeRawBufferPointer) -> [UInt8] { scene.hash + JournalRow.hash(group) }

  private func key(of node: UnsafeRawBufferPointer) -> [UInt8] {
    key(ofGroup: Self.group(of: node)) + JournalRow.hash(node)
  }

  // MARK: Reading

  /// Whether the scene has no rows, readable or not. O(log n).
  func isEmpty(_ view: View) throws(StorageError) -> Bool {
    try Self.firstKey(view, table, from: scene.hash).map { !$0.starts(with: scene.hash) } ?? true
  }

  /// Lends the key and the bytes of each node.
  ///
  /// - Returns: Why rows could not be read.
  func read(
    _ view: View, _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Void
  ) throws(StorageError) -> [JournalProblem] {
    try read(view, scene.hash, body)
  }

  /// Lends the key and the bytes of each node of a group. O(their number + log n).
  func read(
    _ view: View, group: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Void
  ) throws(StorageError) -> [JournalProblem] {
    try read(view, key(ofGroup: group), body)
  }

  /// Lends the key and the bytes of one node. O(log n).
  func read(
    _ view: View, node: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Void
  ) throws(StorageError) -> [JournalProblem] {
    try read(view, key(of: node), body)
  }

  private func read(
    _ view: View, _ prefix: [UInt8], _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Void
  ) throws(StorageError) -> [JournalProblem] {
    var problems: [JournalProblem] = []
    try JournalRow.scan(view, table, prefix: prefix) { _, value in
      do throws(MalformedBytes) {
        var reader = try ByteReader(sealed: value)
        _ = try reader.sized("a scene's ID")
        let node = try reader.text("a node's key")
        body(node, try reader.take(reader.remaining))
      } catch {
        problems.append(.damagedRow(table: table.name, reason: error.description))
      }
      return true
    }
    return problems
  }

  // MARK: Writing

  /// Replaces all rows.
  func replace(
    with nodes: SceneNodes, _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    let before = try JournalRow.read(transaction.view, table, prefix: scene.hash).filter { Self.scene($0) != nil }
    let after = nodes.buffer.withUnsafeBytes { all in
      nodes.nodes.map { node in
        let key = UnsafeRawBufferPointer(rebasing: all[node.key])
        return JournalRow(key: self.key(of: key), value: value(key, UnsafeRawBufferPointer(rebasing: all[node.bytes])))
      }
    }
    try JournalRow.replace(before, with: after, transaction, table)
  }

  /// Replaces the changed rows. O(changes · log n).
  func apply(_ changes: SceneNodes, _ transaction: borrowing WriteTransaction) throws(StorageError) {
    for node in changes.nodes {
      let row = changes.buffer.withUnsafeBytes { all in
        let key = UnsafeRawBufferPointer(rebasing: all[node.key])
        return JournalRow(
          key: self.key(of: key),
          value: node.isRemoved ? [] : value(key, UnsafeRawBufferPointer(rebasing: all[node.bytes])))
      }
      try JournalRow.replace(row.key, with: row.value.isEmpty ? nil : row.value, transaction, table)
    }
  }

  private func value(_ node: UnsafeRawBufferPointer, _ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    Self.value(scene.name, node, bytes)
  }

  static func value(
    _ scene: String, _ node: UnsafeRawBufferPointer, _ bytes: UnsafeRawBufferPointer
  ) -> [UInt8] {
    var writer = ByteWriter.sealing(reserving: bytes.count + 64)
    writer.string(scene)
    writer.varint(node.count)
    writer.append(node)
    writer.append(bytes)
    return writer.sealed()
  }

  // MARK: Scenes

  /// The scenes that have rows; O(scenes), unless rows are damaged.
  static func scenes(_ view: View, _ table: Table) throws(StorageError) -> Set<String> {
    var scenes: Set<String> = []
    var start: [UInt8] = []
    while let key = try firstKey(view, table, from: start), !key.lexicographicallyPrecedes(start) {
      let prefix = [UInt8](key.prefix(sceneSize))
      var rows = try JournalRow.read(view, table, prefix: prefix, atMost: 1)
      if rows.allSatisfy({ scene($0) == nil }) { rows = try JournalRow.read(view, table, prefix: prefix) }
      if let scene = rows.lazy.compactMap({ scene($0) }).first { scenes.insert(scene) }
      // The first key after all rows of the scene.
      start = prefix
      guard let last = start.lastIndex(where: { $0 != 0xFF }) else { break }
      start[last] += 1
      start.removeSubrange((last + 1)...)
    }
    return scenes
  }

  private static func firstKey(_ view: View, _ table: Table, from start: [UInt8]) throws(StorageError) -> [UInt8]? {
    var cursor = try view.cursor(table)
    guard let found = try cursor.seek(start.span.bytes) else { return nil }
    return found.key.withUnsafeBytes { [UInt8]($0) }
  }

  /// The key of the row that must have a value.
  package static func key(of value: UnsafeRawBufferPointer) throws(MalformedBytes) -> [UInt8] {
    var reader = try ByteReader(sealed: value)
    let scene = JournalRow.hash(try reader.text("a scene's ID"))
    let node = try reader.text("a node's key")
    return scene + JournalRow.hash(group(of: node)) + JournalRow.hash(node)
  }

  /// Whether the checksum of the node's state is right.
  package static func hasIntactState(_ value: UnsafeRawBufferPointer) -> Bool {
    do throws(MalformedBytes) {
      var reader = try ByteReader(sealed: value)
      _ = try reader.text("a scene's ID")
      let node = try reader.text("a node's key")
      return ArchiveSeal.body(of: try reader.take(reader.remaining), for: node) != nil
    } catch {
      return false
    }
  }

  private static func scene(_ row: JournalRow) -> String? {
    try? row.value.lend { (bytes) throws(MalformedBytes) in
      var reader = try ByteReader(sealed: bytes)
      let scene = try reader.string("a scene's ID")
      _ = try reader.text("a node's key")
      return scene
    }
  }
}
