import RepriseLMDB
import RepriseLog

/// The reason why a group commit failed. None of its saves took effect, unless the outcome is unknown.
package enum SaveFailure: StorageErrorConvertible {
  case storage(StorageError)
  /// The state that a save is merged with cannot be read.
  case plan(StoreError)
  /// A save with several transactions was refused after its first one.
  case refused(SaveError)

  package init(_ error: StorageError) { self = .storage(error) }

  var isOutcomeUnknown: Bool { if case .storage(.commitOutcomeUnknown) = self { true } else { false } }

  /// Whether another process is the reason. Each save alone would then wait and fail again.
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
