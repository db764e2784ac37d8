import RepriseEventStore
import RepriseQuery

extension FetchError {
  /// The error of a fetch whose store could not be read.
  init(reading error: StoreError) {
    if case .cancelled = error { self = .cancelled } else { self = .notReadable(error.description) }
  }
}
