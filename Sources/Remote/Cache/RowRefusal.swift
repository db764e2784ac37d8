import RepriseEventStore
import RepriseQuery
import RepriseRemoteError

/// Finds the reason why the store cannot keep a row as the server has it.
enum RowRefusal {
  /// The reason for which an error refuses a row. `nil` if the error is not about a row, but about the store, the
  /// network, or a cancellation.
  static func reason(of error: any Error) -> String? {
    switch error {
    case is CancellationError, is StoreError, is FetchError: return nil
    case RemoteError.malformed(let reason): return reason
    case is RemoteError: return nil
    case let error as SaveError: return error.refusal.flatMap { reason(of: $0) }
    default: return "\(error)"
    }
  }

  /// The reason does not name the object, because each attempt makes a new one.
  static func reason(of refusal: SaveRefusal) -> String? {
    let reasons = refusal.violations.map(\.message) + refusal.invalidValues.map { reason(of: $0) }
    return reasons.isEmpty ? nil : reasons.joined(separator: "; ")
  }

  static func reason(of value: InvalidValue) -> String {
    "has \(value.property) \(value.value), which this property cannot hold"
  }
}
