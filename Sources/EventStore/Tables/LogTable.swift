import RepriseLMDB
import RepriseObjectModel

/// The last transaction of the log; position 0 and a zero hash where there is none.
package struct LogHead: Sendable, Hashable {
  package let position: Position
  package let hash: Digest
  package let time: Int64
}

/// The table `log`: the frames, by position.
package struct LogTable {
  private let rows: ChunkedRows
  let path: String

  package init(_ table: Table, path: String) {
    rows = ChunkedRows(table, numbersFirst: true)
    self.path = path
  }

  /// The position of the last transaction; 0 in an empty log.
  package func lastPosition(_ view: View) throws(StoreError) -> Position {
    do throws(StorageError) {
      var cursor = try view.cursor(rows.table)
      guard let entry = try cursor.last() else { return 0 }
      guard entry.key.byteCount == 10 else { return 0 }
      return entry.key.withUnsafeBytes { LogKey($0)?.position ?? 0 }
    } catch {
      throw StoreError(error)
    }
  }

  /// The first position behind another of which there is a row; `nil` if there is none.
  func position(after position: Position, _ view: View) throws(StoreError) -> Position? {
    guard position.number < .max else { return nil }
    let key = CollectionOfOne((position + 1).number.bigEndian)
    do throws(StorageError) {
      var cursor = try view.cursor(rows.table)
      guard let entry = try cursor.seek(key.span.bytes) else { return nil }
      return entry.key.withUnsafeBytes { LogKey($0)?.position }
    } catch {
      throw StoreError(error)
    }
  }

  package func head(_ view: View) throws(StoreError) -> LogHead {
    let position = try lastPosition(view)
    guard position > 0 else { return LogHead(position: 0, hash: .zero, time: .min + 1) }
    return try withFrame(position, view) { (frame) throws(MalformedBytes) in
      LogHead(position: frame.position, hash: frame.hash, time: frame.logTime)
    }
  }

  /// Lends the frame at a position.
  package func withFrame<Result>(
    _ position: Position, _ view: View, _ body: (LogFrame) throws(MalformedBytes) -> Result
  ) throws(StoreError) -> Result {
    let result: Result?
    do throws(ReadFailure) {
      let key = CollectionOfOne(position.number.bigEndian)
      result = try rows.read(view, key: key.span.bytes) { (bytes) throws(ReadFailure) in
        try ReadFailure.wrapping { () throws(MalformedBytes) in
          let frame = try LogFrame(bytes)
          // A frame in another's place has a good checksum all the same.
          guard frame.localPosition == position else {
            throw MalformedBytes("the frame of position \(position)", at: 0)
          }
          return try body(frame)
        }
      }
    } catch {
      throw error.storeError(path, "transaction \(position) of the log")
    }
    guard let result else { throw .damaged(path: path, reason: "transaction \(position) of the log is missing") }
    return result
  }

  func append(_ frame: [UInt8], at position: Position, _ transaction: borrowing WriteTransaction) throws(StorageError) {
    let key = CollectionOfOne(position.number.bigEndian)
    try rows.append(transaction, key: key.span.bytes, value: frame)
  }
}
