import RepriseJournal
import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// The content that journals had checkpointed into the tables of a damaged file: drafts, screens, and the marks of
/// journals, which record what was checkpointed and consumed.
struct FoundDrafts {
  /// The chunks of values, by key without the chunk's number.
  private var drafts: Values = [:]
  private var archives: Values = [:]
  private(set) var marks: [[UInt8]: [UInt8]] = [:]

  private struct Chunk {
    let number: [UInt8]
    let value: [UInt8]
    let standing: FoundRow.Standing
  }

  private typealias Values = [[UInt8]: [Chunk]]

  mutating func add(_ row: FoundRow) {
    // Free pages hold replaced values, which may be drafts that were saved or discarded since.
    if row.standing == .free { return }
    let key = Array(row.key)
    // The length of a key without the number of the chunk, which takes two bytes or six.
    let lengths: [UInt8: Int] = [0x68: 17, 0x6E: 45, 0x75: 29, 0x72: 29]
    if let length = key.first.flatMap({ lengths[$0] }), [length + 2, length + 6].contains(key.count),
      row.table == "drafts" || row.table == nil
    {
      Self.add(row, key, length, to: &drafts)
    } else if [2, 6].contains(key.count - ArchiveRows.keySize), row.table == "archives" || row.table == nil {
      Self.add(row, key, ArchiveRows.keySize, to: &archives)
    } else if JournalMarks.isMark(key, row.value.count), row.table == "journals" || row.table == nil {
      if row.standing == .inTree || marks[key] == nil { marks[key] = Array(row.value) }
    }
  }

  private static func add(_ row: FoundRow, _ key: [UInt8], _ length: Int, to values: inout Values) {
    let chunk = Chunk(number: Array(key[length...]), value: Array(row.value), standing: row.standing)
    values[Array(key[..<length]), default: []].append(chunk)
  }

  /// Writes the intact values. Returns how many there are, and how many are damaged.
  func write(
    _ tables: StoreTables, _ transaction: borrowing WriteTransaction
  ) throws(StorageError) -> (drafts: Int, archives: Int, damaged: Int) {
    let headers = headers
    let isHeader = { (key: [UInt8]) in key[0] == DraftRowKind.header.rawValue }
    var (drafts, damagedDrafts) = try Self.write(self.drafts.filter { !isHeader($0.key) }, tables.drafts, transaction) {
      // The rows of a draft whose ID is lost cannot be found.
      key, value in headers[Array(key[1..<17])] == nil ? nil : value.map { (key, $0) }
    }
    for header in headers.values { try Self.write(header, tables.drafts, transaction) }
    drafts += headers.count
    damagedDrafts += max(0, self.drafts.keys.count(where: isHeader) - headers.count)
    let (archives, damagedArchives) = try Self.write(archives, tables.archives, transaction) { key, value in
      guard let value, let own = try? value.lend(ArchiveRows.key(of:)), value.lend(ArchiveRows.hasIntactState) else {
        return nil
      }
      return (own, value)
    }
    for (key, value) in marks { try transaction.put(tables.journals, key: key.span.bytes, value: value.span.bytes) }
    return (drafts, archives, damagedDrafts + damagedArchives)
  }

  /// Writes a header that counts the rows in the new store. The header found may be older than the rows.
  private static func write(
    _ header: DraftHeaderRow, _ table: Table, _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    let draft = JournalTopic.draft(header.header.id)
    let row = header.row(draft.hash)
    try JournalRow.replace(row.key, with: row.value, transaction, table)
    let found = try DraftRows(draft, transaction.view, table)
    let rows = found.newRows(checkpointed: found.checkpointed)
    try JournalRow.replace(found.rows + found.damagedRows, with: rows, transaction, table)
  }

  /// The headers by the hash of the draft's ID, with no rows counted except those lost earlier. If a header is damaged,
  /// its ID may be left.
  private var headers: [[UInt8]: DraftHeaderRow] {
    var headers: [[UInt8]: DraftHeaderRow] = [:]
    for (key, chunks) in drafts where key[0] == DraftRowKind.header.rawValue {
      var header = Self.value(chunks).flatMap { try? DraftHeaderRow($0) }
      if header == nil {
        let bytes = chunks.first { $0.number == [0, 0] }?.value ?? []
        header = DraftHeaderRow.provenID(JournalRow(key: key, value: bytes)).map {
          DraftHeaderRow(
            header: DraftHeader(id: $0, base: 0), isKnown: false, generation: 0, checkpointed: [:], changedAt: 0)
        }
      }
      guard var header else { continue }
      var summary = DraftSummary()
      summary.lostRows = header.summary.lostRows
      header.summary = summary
      headers[JournalRow.hash(header.header.id)] = header
    }
    return headers
  }

  /// - row: The row for a value, which is `nil` if it is damaged. Returns `nil` to leave the row out.
  private static func write(
    _ values: Values, _ table: Table, _ transaction: borrowing WriteTransaction,
    _ row: (_ key: [UInt8], _ value: [UInt8]?) -> (key: [UInt8], value: [UInt8])?
  ) throws(StorageError) -> (whole: Int, damaged: Int) {
    var whole = 0
    var damaged = 0
    let rows = ChunkedRows(table, numbersFirst: true, limit: .max)
    for (key, chunks) in values {
      let value = value(chunks)
      let found = row(key, value)
      if value == nil || found == nil { damaged += 1 }
      guard let found else { continue }
      try rows.put(transaction, key: found.key.span.bytes, value: found.value, replacing: 0)
      whole += 1
    }
    return (whole, damaged)
  }

  /// The concatenated chunks, if their checksum is valid. Chunks that a tree leads to are preferred.
  private static func value(_ chunks: [Chunk]) -> [UInt8]? {
    let sorted = chunks.sorted {
      $0.number == $1.number ? $0.standing < $1.standing : $0.number.lexicographicallyPrecedes($1.number)
    }
    for first in sorted where first.number == [0, 0] {
      var bytes = first.value
      var last = first
      while last.value.count == ChunkedRows.chunkSize,
        let next = sorted.first(where: { last.number.lexicographicallyPrecedes($0.number) })
      {
        bytes += next.value
        last = next
      }
      let isWhole = try? bytes.lend { (bytes) throws(MalformedBytes) in try ByteReader(sealed: bytes).isAtEnd }
      if isWhole != nil { return bytes }
    }
    return nil
  }
}
