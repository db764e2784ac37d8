import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// The drafts that have rows in the table `drafts`.
package struct FoundDraftIDs {
  package private(set) var ids: Set<String> = []
  package private(set) var problems: [JournalProblem] = []
  /// The hashes of the IDs that are lost.
  package private(set) var lost: Set<[UInt8]> = []
  private let table: Table
  /// The hashes of all other drafts.
  private var hashes: Set<[UInt8]> = []

  /// Reads all headers, and looks for rows that have none. An ID in a damaged header counts if its hash is the one that
  /// the row's key has. O(drafts · log n).
  package init(_ view: View, _ table: Table) throws(StorageError) {
    self.table = table
    for row in try JournalRow.read(view, table, prefix: [DraftRowKind.header.rawValue]) { add(row) }
    for kind in [DraftRowKind.change, .undo, .redo] {
      var hash: [UInt8]? = [UInt8](repeating: 0, count: 16)
      while let start = hash, let found = try Self.hash(kind, from: start, view, table) {
        if hashes.insert(found).inserted { try addWithoutHeader(found, view) }
        hash = found.nextOfItsLength
      }
    }
  }

  private mutating func add(_ row: JournalRow) {
    let hash = Array(row.key.dropFirst().prefix(16))
    do throws(MalformedBytes) {
      let id = try DraftHeaderRow(row.value).header.id
      if hash != JournalRow.hash(id) { problems.append(.headerMisplaced(draft: id)) }
      add(id)
    } catch {
      problems.append(.damagedRow(table: table.name, reason: error.description))
      if let id = DraftHeaderRow.provenID(row) { add(id) }
    }
  }

  private mutating func add(_ id: String) {
    ids.insert(id)
    hashes.insert(JournalRow.hash(id))
  }

  /// A flipped bit may have made a row of no kind of the header.
  private mutating func addWithoutHeader(_ hash: [UInt8], _ view: View) throws(StorageError) {
    for bit in 0..<8 {
      let prefix = [DraftRowKind.header.rawValue ^ 1 << UInt8(bit)] + hash
      guard let row = try JournalRow.read(view, table, prefix: prefix, atMost: 1).first,
        let id = DraftHeaderRow.provenID(row)
      else { continue }
      problems.append(.headerMisplaced(draft: id))
      return add(id)
    }
    problems.append(.headerMissing(hash: hexadecimal(hash)))
    lost.insert(hash)
  }

  /// The first hash from one on under which there are rows of a kind.
  private static func hash(
    _ kind: DraftRowKind, from start: [UInt8], _ view: View, _ table: Table
  ) throws(StorageError) -> [UInt8]? {
    let prefix = kind.prefix(start)
    var cursor = try view.cursor(table)
    guard let entry = try cursor.seek(prefix.span.bytes) else { return nil }
    let key = entry.key.withUnsafeBytes { [UInt8]($0.prefix(17)) }
    // A writer's cursor does not check the order of the keys, and this walk must not go in a circle.
    guard key.first == kind.rawValue, key.count == 17, !key.lexicographicallyPrecedes(prefix) else { return nil }
    return Array(key.dropFirst())
  }
}
