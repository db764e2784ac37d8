import RepriseLog
import RepriseObjectModel

/// The reason why the bytes of a blob could not be read or stored.
///
/// The initialisers of ``Blob`` that store bytes throw it, and so do its methods that read them.
@nonexhaustive
public enum BlobError: RepriseError {
  /// The store does not have the bytes. The blob comes from another store. Or no object was saved with it, and the
  /// process that made it has ended. Or `retain`, `erase` or `salvage` removed the bytes.
  ///
  /// Reads throw it. Make the blob again from its bytes, and save an object with it.
  case missing(Blob)
  /// Bytes of the blob are damaged. The undamaged bytes, and the rest of the store, can still be read.
  ///
  /// Reads throw it. Restore a backup, or assign a blob of other bytes. A new blob of the same bytes does not replace
  /// the damaged one.
  case damaged(Blob, reason: String)
  /// The range is not within the blob.
  ///
  /// Reads of a range throw it. Use a range within the blob's length.
  case outOfBounds(Range<Int>, Blob)
  /// A file could not be read or written.
  ///
  /// Calls that take the path of a file throw it. Check the path, and the space on its disk.
  case file(path: String, operation: String, code: Int32, message: String)
  /// The store could not be read or written.
  ///
  /// Reads and the initialisers that store bytes throw it. The ``StoreError`` says how to recover.
  case store(StoreError)
}

extension BlobError: CustomStringConvertible {
  /// The failure, its cause, and the next step.
  public var description: String {
    switch self {
    case .missing(let blob):
      "The store does not have the \(blob). The blob comes from another store, or no object was saved with it, or "
        + "`retain`, `erase` or `salvage` removed it. Make the blob again from its bytes, and save an object with it."
    case .damaged(let blob, let reason):
      "The \(blob) is damaged: \(reason). Restore the store from a backup, or assign a blob of other bytes. A new "
        + "blob of the same bytes does not replace the damaged one."
    case .outOfBounds(let range, let blob):
      "The \(blob) has no bytes \(range.lowerBound) to \(range.upperBound). Use a range within its length."
    case .file(let path, let operation, let code, let message):
      "The operation '\(operation)' failed on \(path): \(message) (error \(code)). Check the path, and the space on "
        + "its disk."
    case .store(let error): error.description
    }
  }
}
