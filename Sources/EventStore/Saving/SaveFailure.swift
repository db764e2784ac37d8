import RepriseLMDB

/// Why a save is not carried out.
enum SaveFailure: StorageErrorConvertible {
  /// This save is refused; others of its group go on.
  case refused(SaveError)
  /// The store failed; nobody's save went through.
  case broken(StorageError)
  /// Something stored cannot be read.
  case damaged(StoreError)

  init(_ error: StorageError) { self = .broken(error) }

  var saveError: SaveError {
    switch self {
    case .refused(let error): error
    // Keys have the lengths that the library gives them.
    case .broken(.badValueSize): .tooLong(limit: ChunkedRows.maximumSize)
    case .broken(let error): .store(StoreError(error))
    case .damaged(let error): .store(error)
    }
  }
}
