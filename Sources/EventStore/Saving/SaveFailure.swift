import RepriseLMDB
import RepriseLog

/// Why a group commit failed: none of its saves took effect, unless the outcome is unknown.
enum SaveFailure: StorageErrorConvertible {
  case storage(StorageError)
  /// The state that a save is compared with cannot be read.
  case plan(StoreError)
  /// A save of several transactions was refused after the first of them.
  case refused(SaveError)

  init(_ error: StorageError) { self = .storage(error) }

  var isOutcomeUnknown: Bool { if case .storage(.commitOutcomeUnknown) = self { true } else { false } }

  /// Whether another process is the reason, so that each save alone would wait and fail again.
  var isOfOthers: Bool {
    switch self {
    case .storage(.writerBusy), .storage(.cancelled): true
    default: false
    }
  }

  /// The error for the caller of one of the saves.
  func saveError(of request: SaveRequest) -> SaveError {
    switch self {
    case .storage(.commitOutcomeUnknown): .outcomeUnknown(transaction: request.id)
    // Only a value can be too long: the library determines the lengths of keys.
    case .storage(.badValueSize): .tooLong(limit: ChunkedRows.maximumSize)
    case .storage(let error): .store(StoreError(error))
    case .plan(let error): .store(error)
    case .refused(let error): error
    }
  }
}
