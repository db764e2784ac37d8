import RepriseEventStore
import RepriseQuery
import RepriseSourceErrors

/// Why the store cannot keep a row as the server has it.
enum RowRefusal {
  /// What an error says of a row; `nil` if it says nothing of it, but of the store, the network, or the program's end.
  static func reason(of error: any Error) -> String? {
    switch error {
    case is CancellationError, is StoreError, is FetchError: return nil
    case RemoteError.malformed(let reason): return reason
    case is RemoteError: return nil
    case let error as SaveError:
      // Without the object, which is another one each time that the row is tried.
      let reasons =
        error.violations.map(\.message)
        + error.invalidValues.map { "has \($0.property) \($0.value), which it cannot hold" }
      return reasons.isEmpty ? nil : reasons.joined(separator: "; ")
    default: return "\(error)"
    }
  }
}
