import RepriseLMDB
import RepriseObjectModel

/// The nodes of a scene as rows of the table `archives`. Key, before the number of the chunk: hash of the scene 16,
/// hash of the node's key 16. Value: CRC-32C, scene, key, bytes.
struct ArchiveRows: Sendable {
  private(set) var nodes: [String: [UInt8]] = [:]
  private(set) var rows: [JournalRow] = []
  private(set) var problems: [JournalProblem] = []

  /// The scenes that have rows; O(scenes), unless rows are damaged.
  static func scenes(_ view: View, _ table: Table) throws(LMDBError) -> Set<String> {
    var scenes: Set<String> = []
    var start: [UInt8] = []
    while let prefix = try firstKey(view, table, from: start).map({ [UInt8]($0.prefix(16)) }) {
      var rows = try JournalRow.read(view, table, prefix: prefix, atMost: 1)
      if rows.allSatisfy({ (try? read($0)) == nil }) { rows = try JournalRow.read(view, table, prefix: prefix) }
      if let scene = rows.lazy.compactMap({ try? read($0).0 }).first { scenes.insert(scene) }
      // On to the first key behind all rows of the scene.
      start = prefix
      guard let last = start.lastIndex(where: { $0 != 0xFF }) else { break }
      start[last] += 1
      start.removeSubrange((last + 1)...)
    }
    return scenes
  }

  private static func firstKey(_ view: View, _ table: Table, from start: [UInt8]) throws(LMDBError) -> [UInt8]? {
    var cursor = try view.cursor(table)
    guard let found = try cursor.seek(start.span.bytes) else { return nil }
    return found.key.withUnsafeBytes { [UInt8]($0) }
  }

  init(_ scene: String, _ view: View, _ table: Table) throws(LMDBError) {
    for row in try JournalRow.read(view, table, prefix: JournalRow.hash(scene)) {
      do throws(MalformedBytes) {
        let (_, key, bytes) = try Self.read(row)
        nodes[key] = bytes
        rows.append(row)
      } catch {
        problems.append(.damagedRow(table: table.name, reason: error.description))
      }
    }
  }

  private static func read(_ row: JournalRow) throws(MalformedBytes) -> (String, String, [UInt8]) {
    try SliceReader.readingSealed(row.value) { (reader) throws(MalformedBytes) in
      let scene = try reader.reader.string("a scene's ID")
      let key = try reader.reader.string("a node's key")
      return (scene, key, [UInt8](reader.rest))
    }
  }

  static func rows(_ scene: String, _ nodes: [String: [UInt8]]) -> [JournalRow] {
    let prefix = JournalRow.hash(scene)
    return nodes.map { key, bytes in
      var writer = ByteWriter.sealing(reserving: bytes.count + 64)
      writer.string(scene)
      writer.string(key)
      writer.append(bytes)
      return JournalRow(key: prefix + JournalRow.hash(key), value: writer.sealed())
    }
  }
}
