import RepriseLMDB

/// Why a commit of saves failed: nobody's save went through, unless the outcome is unknown.
enum SaveFailure: StorageErrorConvertible {
  case storage(StorageError)
  /// What a save is compared with cannot be read.
  case plan(StoreError)

  init(_ error: StorageError) { self = .storage(error) }

  var isOutcomeUnknown: Bool { if case .storage(.commitOutcomeUnknown) = self { true } else { false } }

  /// What it means to whoever asked for one of the saves.
  func saveError(of request: SaveRequest) -> SaveError {
    switch self {
    case .storage(.commitOutcomeUnknown): .outcomeUnknown(transaction: request.id)
    // Keys have the lengths that the library gives them.
    case .storage(.badValueSize): .tooLong(limit: ChunkedRows.maximumSize)
    case .storage(let error): .store(StoreError(error))
    case .plan(let error): .store(error)
    }
  }
}
