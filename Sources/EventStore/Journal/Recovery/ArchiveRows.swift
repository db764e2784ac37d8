import RepriseLMDB
import RepriseObjectModel

/// The nodes of a scene as rows of the table `archives`. Key, before the number of the chunk: hash of the scene 16,
/// hash of the node's key 16. Value: CRC-32C, scene, key, bytes.
struct ArchiveRows: Sendable {
  var nodes = SceneNodes()
  private(set) var rows: [JournalRow] = []
  var problems: [JournalProblem] = []

  /// The scenes that have rows; O(scenes), unless rows are damaged.
  static func scenes(_ view: View, _ table: Table) throws(StorageError) -> Set<String> {
    var scenes: Set<String> = []
    var start: [UInt8] = []
    while let prefix = try firstKey(view, table, from: start).map({ [UInt8]($0.prefix(16)) }) {
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

  /// - Parameter keepsRows: Whether to keep the stored rows, for replacing them.
  init(_ scene: String, _ view: View, _ table: Table, keepsRows: Bool) throws(StorageError) {
    try JournalRow.scan(view, table, prefix: JournalRow.hash(scene)) { key, value in
      do throws(MalformedBytes) {
        var reader = try ByteReader(sealed: value)
        _ = try reader.sized("a scene's ID")
        let node = try reader.text("a node's key")
        nodes.put(node, try reader.take(reader.remaining))
        if keepsRows { rows.append(JournalRow(key: [UInt8](key), value: [UInt8](value))) }
      } catch {
        problems.append(.damagedRow(table: table.name, reason: error.description))
      }
      return true
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

  static func rows(_ scene: String, _ nodes: SceneNodes) -> [JournalRow] {
    let prefix = JournalRow.hash(scene)
    return nodes.buffer.withUnsafeBytes { all in
      nodes.nodes.map { node in
        var writer = ByteWriter.sealing(reserving: node.bytes.count + 64)
        writer.string(scene)
        writer.varint(node.key.count)
        writer.append(UnsafeRawBufferPointer(rebasing: all[node.key]))
        writer.append(UnsafeRawBufferPointer(rebasing: all[node.bytes]))
        let key = JournalRow.hash(UnsafeRawBufferPointer(rebasing: all[node.key]))
        return JournalRow(key: prefix + key, value: writer.sealed())
      }
    }
  }
}

extension SceneNodes {
  /// Applies a journal entry.
  ///
  /// - Returns: Why the entry cannot be read; `nil` if it can.
  mutating func apply(_ kind: JournalEntryKind, _ body: UnsafeRawBufferPointer) -> MalformedBytes? {
    var reader = ByteReader(body)
    do throws(MalformedBytes) {
      switch kind {
      case .nodePut: put(try reader.text("a node's key"), try reader.sized("a node's state"))
      case .nodeRemoved: remove(try reader.text("a node's key"))
      case .sceneCleared: removeAll()
      default: break
      }
      return nil
    } catch {
      return error
    }
  }
}
