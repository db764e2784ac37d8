import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// The rows of the log found in a damaged file, on any page. Takes 40 bytes of memory for each.
struct FoundLog {
  private struct Row {
    let position: Position
    let chunk: UInt16
    let standing: FoundRow.Standing
    /// Whether a checksum confirms this position, not the key alone.
    let isProved: Bool
    let offset: Int
    let count: Int

    static func precedes(_ left: Row, _ right: Row) -> Bool {
      if left.position != right.position { return left.position < right.position }
      if left.chunk != right.chunk { return left.chunk < right.chunk }
      if left.standing != right.standing { return left.standing < right.standing }
      return left.offset < right.offset
    }
  }

  /// A frame with a valid checksum.
  struct Frame {
    let bytes: [UInt8]
    let hash: Digest
    let time: Int64
    /// The worst standing among its rows.
    let standing: FoundRow.Standing
  }

  /// A frame that was found, without its bytes.
  struct Place {
    let position: Position
    let hash: Digest
  }

  /// Once sorted, ordered by position, chunk and standing.
  private var rows: [Row] = []

  /// Adds a row if it may belong to the log.
  mutating func add(_ row: FoundRow) {
    guard row.key.count == 10, (1...ChunkedRows.chunkSize).contains(row.value.count) else { return }
    let number = row.key.reduce(into: (position: UInt64(0), chunk: UInt16(0), left: 8)) { sum, byte in
      if sum.left > 0 {
        sum.position = sum.position << 8 | UInt64(byte)
      } else {
        sum.chunk = sum.chunk << 8 | UInt16(byte)
      }
      sum.left -= 1
    }
    var position = Position(number.position)
    var isProved = false
    if number.chunk == 0, row.value.count < ChunkedRows.chunkSize {
      // The frame is whole, and contains its own position.
      guard let frame = Self.frame(Array(row.value)) else { return }
      position = frame.position
      isProved = true
    }
    // No log is that long: such a row belongs to another table.
    guard position > 0, position.number < 1 << 48 else { return }
    rows.append(
      Row(
        position: position, chunk: number.chunk, standing: row.standing, isProved: isProved, offset: row.offset,
        count: row.value.count))
  }

  /// - Parameter first: The first position of the log. Free pages have parts of the transactions before it, for example
  ///   insertions without the later deletions.
  mutating func sort(from first: Position) {
    rows.removeAll { $0.position < first }
    rows.sort(by: Row.precedes)
  }

  /// The first position that has rows in use.
  var firstPosition: Position? { rows.lazy.filter { $0.standing != .free }.map(\.position).min() }

  /// The last position that has a row. A damaged key may name any position, so an unproved one counts only if it
  /// continues the others.
  ///
  /// - Parameter isLatest: Whether rows in trees are certainly those of the last commit, so that rows on free pages are
  ///   not.
  func lastPosition(isLatest: Bool) -> Position {
    var last = rows.last { $0.isProved && (!isLatest || $0.standing != .free) }?.position ?? 0
    for row in rows[rows.partitionPoint { $0.position > last }...] where !isLatest || row.standing != .free {
      if row.position <= last + 1 { last = row.position }
    }
    return last
  }

  /// The positions that have rows, between two positions.
  func positions(from first: Position, through last: Position) -> [Position] {
    var found: [Position] = []
    for row in rows[rows.partitionPoint { $0.position >= first }...] {
      if row.position > last { break }
      if found.last != row.position { found.append(row.position) }
    }
    return found
  }

  /// The intact frames of a position, those that trees lead to first.
  func frames(at position: Position, in file: borrowing DataFile) throws(StorageError) -> [Frame] {
    let all = rows[rows.partitionPoint { $0.position >= position }..<rows.partitionPoint { $0.position > position }]
    var chunks: [[Row]] = []
    for row in all {
      if chunks.count == Int(row.chunk) { chunks.append([]) }
      if chunks.count == Int(row.chunk) + 1 { chunks[Int(row.chunk)].append(row) }
    }
    var frames: [Frame] = []
    for choice in 0..<(chunks.map(\.count).max() ?? 0) {
      var bytes: [UInt8] = []
      var standing = FoundRow.Standing.inTree
      for chunk in chunks {
        let row = chunk[min(choice, chunk.count - 1)]
        bytes += try file.read(at: row.offset, count: row.count)
        standing = max(standing, row.standing)
        if row.count < ChunkedRows.chunkSize { break }
      }
      guard let found = Self.frame(bytes), found.position == position, !frames.contains(where: { $0.bytes == bytes })
      else { continue }
      frames.append(Frame(bytes: bytes, hash: found.hash, time: found.time, standing: standing))
    }
    return frames
  }

  private static func frame(_ bytes: [UInt8]) -> (position: Position, hash: Digest, time: Int64)? {
    try? bytes.lend { (bytes) throws(MalformedBytes) in
      let frame = try LogFrame(bytes)
      try frame.requireEnd()
      return (frame.position, frame.hash, frame.logTime)
    }
  }
}

extension FoundLog.Frame {
  /// Whether the frame follows a transaction with this hash, in the log with this UUID.
  func follows(_ previous: Digest, in log: UniqueID) -> Bool {
    let isIt = try? bytes.lend { (bytes) throws(MalformedBytes) in
      try LogFrame(bytes).verifyHash(logID: log, previousHash: previous)
    }
    return isIt == true
  }
}
