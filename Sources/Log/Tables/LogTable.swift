import RepriseLMDB
import RepriseObjectModel

/// The last transaction of the log; position 0 and a zero hash in an empty log.
package struct LogHead: Sendable, Equatable {
  package let position: Position
  package let hash: Digest
  package let time: Int64
  /// The same as ``LogEnd/greatestID``.
  package var greatestID: UniqueID

  package init(position: Position, hash: Digest, time: Int64, greatestID: UniqueID = .zero) {
    self.position = position
    self.hash = hash
    self.time = time
    self.greatestID = greatestID
  }

  /// How far a clock may be behind the last log time without a ``ClockStep``, in microseconds. Processes with clocks
  /// that are seconds apart save in turn without adding steps, and log times are wrong by less than that.
  private static let tolerance: UInt64 = 10_000_000

  /// The log time of the next transaction, by the clock of the process that saves it. It is greater than the last log
  /// time, unless the clock is behind that time by more than the tolerance. So one save by a fast clock does not
  /// determine the times of all later saves.
  package func nextTime(_ clock: Int64) -> Int64 {
    if clock > time { return clock }
    let isBehind = UInt64(bitPattern: time &- clock) >= Self.tolerance
    return isBehind || time == .max ? clock : time + 1
  }
}

/// The table `log`: the frames, by position.
@usableFromInline
package struct LogTable: Sendable {
  private let rows: ChunkedRows

  package init(_ table: Table) { rows = ChunkedRows(table, numbersFirst: true) }

  /// The position of the last transaction. 0 in an empty log.
  package func lastPosition(_ view: View) throws(StorageError) -> Position {
    var cursor = try view.cursor(rows.table)
    guard let entry = try cursor.last() else { return 0 }
    guard entry.key.byteCount == LogKey.rowSize, let key = entry.key.withUnsafeBytes({ LogKey($0) }) else {
      throw rows.table.damaged([], "the last row of the log has a key of \(entry.key.byteCount) bytes")
    }
    return key.position
  }

  /// The first position that has a row. `nil` in an empty log.
  package func firstPosition(_ view: View) throws(StorageError) -> Position? { try position(after: 0, view) }

  /// The first position after `position` that has a row. `nil` if there is none.
  package func position(after position: Position, _ view: View) throws(StorageError) -> Position? {
    guard position.number < .max else { return nil }
    let key = CollectionOfOne((position + 1).number.bigEndian)
    var cursor = try view.cursor(rows.table)
    guard let entry = try cursor.seek(key.span.bytes),
      let found = entry.key.withUnsafeBytes({ LogKey($0)?.position })
    else { return nil }
    guard found > position else { throw rows.table.unorderedKeys }
    return found
  }

  /// The last position before `position` that has a row. `nil` if there is none.
  package func position(before position: Position, _ view: View) throws(StorageError) -> Position? {
    let key = CollectionOfOne(position.number.bigEndian)
    var cursor = try view.cursor(rows.table)
    let isLast = try cursor.seek(key.span.bytes) == nil
    guard let entry = try isLast ? cursor.last() : cursor.previous(),
      let found = entry.key.withUnsafeBytes({ LogKey($0)?.position })
    else { return nil }
    guard found < position else { throw rows.table.unorderedKeys }
    return found
  }

  /// The position of the first row whose key, of any form, sorts before the rows of a position. `nil` if there is none.
  package func firstPosition(before end: Position, _ view: View) throws(StorageError) -> Position? {
    var cursor = try view.cursor(rows.table)
    guard let entry = try cursor.first() else { return nil }
    return entry.key.withUnsafeBytes { LogKey.precedes($0, end) ? LogKey($0)?.position ?? 0 : nil }
  }

  package func head(_ view: View) throws(StorageError) -> LogHead {
    let position = try lastPosition(view)
    guard position > 0 else { return LogHead(position: 0, hash: .zero, time: .min + 1) }
    return try withFrame(position, view) { (frame) throws(MalformedBytes) in
      LogHead(position: frame.position, hash: frame.hash, time: frame.logTime)
    }
  }

  /// A reader for many frames.
  @_lifetime(copy view)
  package func reader(_ view: View) -> TableReader { view.reader(rows.table) }

  /// Lends the frame at a position.
  ///
  /// - Parameter readsNames: As ``LogFrame`` takes it.
  @inlinable package func withFrame<Result>(
    _ position: Position, _ view: View, readsNames: Bool = true, _ body: (LogFrame) throws(MalformedBytes) -> Result
  ) throws(StorageError) -> Result {
    var result: Result?
    try visitFrame(position, view, readsNames) { (frame) throws(MalformedBytes) in result = try body(frame) }
    return result!
  }

  /// Lends the frame at a position, for one of many look-ups.
  @inlinable package func withFrame<Result>(
    _ position: Position, _ reader: TableReader, readsNames: Bool = true,
    _ body: (LogFrame) throws(MalformedBytes) -> Result
  ) throws(StorageError) -> Result {
    var result: Result?
    try visitFrame(position, reader, readsNames) { (frame) throws(MalformedBytes) in result = try body(frame) }
    return result!
  }

  @usableFromInline func visitFrame(
    _ position: Position, _ view: View, _ readsNames: Bool, _ body: (LogFrame) throws(MalformedBytes) -> Void
  ) throws(StorageError) {
    try visitFrame(position, view.readerOfOne(rows.table), readsNames, body)
  }

  /// ``withFrame(_:_:readsNames:_:)->_`` without a result, so that it is compiled once. Calls `body` or throws.
  @usableFromInline func visitFrame(
    _ position: Position, _ reader: TableReader, _ readsNames: Bool, _ body: (LogFrame) throws(MalformedBytes) -> Void
  ) throws(StorageError) {
    let key = CollectionOfOne(position.number.bigEndian)
    let found: Void? = try rows.read(reader, key: key.span.bytes, "transaction \(position) of the log") {
      (bytes) throws(MalformedBytes) in
      let frame = try LogFrame(bytes, readsNames: readsNames)
      // A misplaced frame still has a valid checksum.
      guard frame.position == position else { throw MalformedBytes("the stored transaction \(position)", at: 0) }
      try body(frame)
    }
    if found != nil { return }
    // The first position is looked up only now, because it is needed only if a frame is missing.
    if let first = try firstPosition(reader.view), position < first {
      throw rows.table.dropped(position.number, first: first.number)
    }
    throw damaged(position, "transaction \(position) of the log is missing")
  }

  /// Lends the frames after a position, up to another one, in order: one pass over their rows, without a search for
  /// each. The frames lack their names.
  func forEachFrame(
    after lower: Position, upTo upper: Position, _ view: View, _ body: (LogFrame) throws(MalformedBytes) -> Void
  ) throws(StorageError) {
    guard lower < upper else { return }
    var next = lower + 1
    let start = CollectionOfOne(next.number.bigEndian)
    try rows.scan(view, from: start.span.bytes) { (key, bytes) throws(StorageError) in
      let isNext = LogKey(key)?.position == next
      if isNext {
        try rows.table.parsing([UInt8](key), "transaction \(next) of the log") { () throws(MalformedBytes) in
          let frame = try LogFrame(bytes, readsNames: false)
          guard frame.position == next else { throw MalformedBytes("the stored transaction \(next)", at: 0) }
          try body(frame)
        }
        next = next + 1
      }
      return isNext && next <= upper
    }
    // The next frame is missing, or its row has a damaged key. The look-up throws the error.
    if next <= upper { try visitFrame(next, view, false) { _ in } }
  }

  /// The first eight bytes of a transaction's hash, with no look at the rest. `nil` if the log does not have it.
  package func hashPrefix(at position: Position, _ view: View) throws(StorageError) -> UInt64? {
    let key = CollectionOfOne(position.number.bigEndian)
    let row = ChunkedRows.key(key.span.bytes, 0)
    guard let first = try view.get(rows.table, key: row.span.bytes) else { return nil }
    return first.withUnsafeBytes { bytes in
      guard bytes.count >= LogFrame.hashOffset + 8 else { return nil }
      return UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: LogFrame.hashOffset, as: UInt64.self))
    }
  }

  /// Lends the bytes of a frame without checks.
  package func withBytes<Result>(
    _ position: Position, _ view: View, _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    let key = CollectionOfOne(position.number.bigEndian)
    guard let result = try rows.read(view, key: key.span.bytes, body) else {
      throw damaged(position, "transaction \(position) of the log is missing")
    }
    return result
  }

  /// Calls `first` with a transaction's frame, then `body` with each of its events. An event that does not apply is
  /// damage.
  package func forEachEvent(
    of position: Position, _ view: View, _ first: (LogFrame) throws(MalformedBytes) -> Void = { _ in },
    _ body: (LogEvent) throws(ReplayError) -> Void
  ) throws(StorageError) {
    var failure: ReplayError?
    try withFrame(position, view) { (frame) throws(MalformedBytes) in
      try first(frame)
      var events = frame.events
      while failure == nil, let event = try events.next() {
        do throws(ReplayError) { try body(event) } catch { failure = error }
      }
    }
    if let failure { throw damaged(position, failure) }
  }

  /// Applies an event of a transaction; one that does not apply is damage.
  @inlinable package func applying<Result>(
    _ position: Position, _ body: () throws(ReplayError) -> Result
  ) throws(StorageError) -> Result {
    do throws(ReplayError) {
      return try body()
    } catch {
      throw damaged(position, error)
    }
  }

  @usableFromInline func damaged(_ position: Position, _ error: ReplayError) -> StorageError {
    damaged(position, "transaction \(position) of the log: \(error)")
  }

  /// The objects that the transactions after a position touched, by entity.
  ///
  /// - Parameter known: Transactions that are left out.
  package func objectsChanged(
    after position: Position, except known: Set<Position> = [], _ view: View
  ) throws(StorageError) -> [UInt32: Set<UniqueID>] {
    var changed: [UInt32: Set<UniqueID>] = [:]
    var position = position
    while let next = try self.position(after: position, view) {
      position = next
      if known.contains(next) { continue }
      try forEachEvent(of: next, view) { (event) throws(ReplayError) in
        if let object = event.change?.object { changed[object.entity, default: []].insert(object.uuid) }
      }
    }
    return changed
  }

  package func damaged(_ position: Position, _ reason: String) -> StorageError {
    rows.table.damaged(withUnsafeBytes(of: position.number.bigEndian) { [UInt8]($0) }, reason)
  }

  /// The error for a log that ends before the last saved transaction.
  package func lost(after last: Position, upTo saved: Position) -> StorageError {
    rows.table.lost(after: last.number, upTo: saved.number)
  }

  /// The keys of the first rows before a position, also of rows that belong to no frame. A frame's first row comes with
  /// its position.
  package func rows(
    before end: Position, limit: Int, _ view: View
  ) throws(StorageError) -> [(key: [UInt8], frame: Position?)] {
    var found: [(key: [UInt8], frame: Position?)] = []
    var cursor = try view.cursor(rows.table)
    while found.count < limit, let entry = try cursor.next() {
      guard entry.key.withUnsafeBytes({ LogKey.precedes($0, end) }) else { break }
      let key = entry.key.withUnsafeBytes { [UInt8]($0) }
      let isFirst = key.count == LogKey.rowSize && key[8] == 0 && key[9] == 0
      found.append((key, isFirst ? key.withUnsafeBytes { LogKey($0)?.position } : nil))
    }
    return found
  }

  /// Replaces the frame at a position, which has `size` bytes.
  package func replace(
    _ frame: [UInt8], at position: Position, size: Int, _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    let key = CollectionOfOne(position.number.bigEndian)
    try rows.put(transaction, key: key.span.bytes, value: frame, replacing: size)
  }

  package func append(_ frame: [UInt8], at position: Position, _ transaction: borrowing WriteTransaction)
    throws(StorageError)
  {
    let key = CollectionOfOne(position.number.bigEndian)
    try rows.append(transaction, key: key.span.bytes, value: frame)
  }
}
