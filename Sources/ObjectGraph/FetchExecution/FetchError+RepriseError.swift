import RepriseEventStore
import RepriseQuery

// The conformance is here because `Query` does not import `Log`, which declares the protocol.
extension FetchError: RepriseError {}

extension FetchError {
  /// The error of a fetch whose store could not be read.
  init(reading error: StoreError) {
    if case .cancelled = error { self = .cancelled } else { self = .notReadable(error.description) }
  }
}
