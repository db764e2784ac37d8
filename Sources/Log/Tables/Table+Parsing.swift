import RepriseLMDB
import RepriseObjectModel

extension Table {
  /// Parses the bytes of a row. Malformed ones become a storage error.
  ///
  /// - Parameter what: The content of the row, as named in errors.
  @inlinable @inline(__always)
  package func parsing<Result>(
    _ key: @autoclosure () -> [UInt8], _ what: @autoclosure () -> String, _ body: () throws(MalformedBytes) -> Result
  ) throws(StorageError) -> Result {
    do throws(MalformedBytes) { return try body() } catch { throw damaged(key(), what(), error) }
  }

  @usableFromInline func damaged(_ key: [UInt8], _ what: String, _ error: MalformedBytes) -> StorageError {
    damaged(key, "\(what): \(error)")
  }

  /// The error for keys that a walk finds out of order.
  package var unorderedKeys: StorageError {
    damaged([], "the keys of the table '\(name)' are out of order")
  }
}
