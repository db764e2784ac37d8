import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// Verifies the form of rows in chunks: that none is longer than a chunk, that each chunk but the first follows its
/// predecessor, and that all keys have a known form. Readers of values skip wrong rows.
struct ChunkCheck {
  private let table: String
  /// The size of a value's key, without the number of a chunk. `nil` if the key has no known form.
  private let keySize: (UnsafeRawBufferPointer) -> Int?
  private let numbersFirst: Bool
  private var key: [UInt8] = []
  /// The number of the chunk that must follow. `nil` if the value is complete.
  private var expected: Int?

  init(_ table: String, numbersFirst: Bool, keySize: @escaping (UnsafeRawBufferPointer) -> Int?) {
    (self.table, self.numbersFirst, self.keySize) = (table, numbersFirst, keySize)
  }

  /// The problem of the next row. `nil` if there is none.
  mutating func problem(_ key: UnsafeRawBufferPointer, byteCount: Int) -> StoreFinding? {
    let limit = ChunkedRows.chunkSize
    let form = formProblem(key, byteCount)
    if let form { return .row(table: table, problem: form, key: [UInt8](key)) }
    return byteCount > limit ? .longRow(table: table, byteCount: byteCount, limit: limit) : nil
  }

  private mutating func formProblem(_ row: UnsafeRawBufferPointer, _ byteCount: Int) -> String? {
    let isFull = byteCount == ChunkedRows.chunkSize
    if let number = expected, row.elementsEqual(ChunkedRows.key(key.span.bytes, number)) {
      expected = isFull ? number + 1 : nil
      return byteCount == 0 ? "a chunk without bytes" : nil
    }
    expected = nil
    guard let size = keySize(row), size <= row.count else { return "a row of no known form" }
    let number = row[size...]
    guard number.count == (numbersFirst ? 2 : 0), number.allSatisfy({ $0 == 0 }) else {
      return "a chunk after a missing chunk"
    }
    key = [UInt8](row[..<size])
    expected = isFull ? 1 : nil
    return nil
  }
}

extension Verifier {
  mutating func verifyRows(ofLogFrom first: Position, _ view: View) throws(StorageError) {
    // Rows before the first position are meaningless and still to be removed.
    let start = first > 1 ? withUnsafeBytes(of: first.number.bigEndian) { [UInt8]($0) } : []
    let check = ChunkCheck("log", numbersFirst: true) { key in
      key.count == LogKey.rowSize && LogKey(key).map { $0.position > 0 } == true ? LogKey.rowSize - 2 : nil
    }
    try verifyRows(of: store.tables.log, from: start, check, view)
  }

  mutating func verifyRowsOfObjects(_ view: View) throws(StorageError) {
    let check = ChunkCheck("objects", numbersFirst: false) { $0.count >= ObjectKey.size ? ObjectKey.size : nil }
    try verifyRows(of: store.tables.objects, check, view)
  }

  /// Reports the first few problems of a table.
  mutating func verifyRows(
    of table: Table, from start: [UInt8] = [], _ check: ChunkCheck, _ view: View
  ) throws(StorageError) {
    var check = check
    var problems: [StoreFinding] = []
    var cursor = try view.cursor(table)
    var entry = try cursor.seek(start.span.bytes)
    while let row = entry, problems.count < 10 {
      let problem = row.key.withUnsafeBytes { check.problem($0, byteCount: row.value.byteCount) }
      if let problem { problems.append(problem) }
      entry = try cursor.next()
    }
    for problem in problems { found(problem) }
  }
}
