import RepriseObjectModel

/// Why the bytes of a blob could not be read, or brought into the store.
@nonexhaustive
public enum BlobError: RepriseError {
  /// The store does not have the bytes: the blob comes from another store, or no object was saved with it, and the
  /// process that made it has ended.
  case missing(Blob)
  /// Bytes of the blob are damaged. Others of it, and all else in the store, can still be read.
  case damaged(Blob, reason: String)
  /// The range is not within the blob.
  case outOfBounds(Range<Int>, Blob)
  /// A file could not be read or written.
  case file(path: String, operation: String, code: Int32, message: String)
  /// The store could not be read or written.
  case store(StoreError)
}

extension BlobError: CustomStringConvertible {
  /// What happened, and what to do next.
  public var description: String {
    switch self {
    case .missing(let blob):
      "The store does not have the \(blob). Make it again from its bytes: one that no saved object has is removed when "
        + "the process that made it has ended."
    case .damaged(let blob, let reason):
      "The \(blob) is damaged: \(reason). Make it again from its bytes, or restore the store from a backup."
    case .outOfBounds(let range, let blob):
      "The \(blob) has no bytes \(range.lowerBound) to \(range.upperBound). Ask for a range within its length."
    case .file(let path, let operation, _, let message):
      "The operation '\(operation)' failed on \(path): \(message). Check the path, and the space on its disk."
    case .store(let error): error.description
    }
  }
}
