import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// The two errors that an erasure may throw.
package enum ErasureFailure: Error, StorageErrorConvertible {
  case erasure(ErasureError)
  case store(StoreError)

  package init(_ error: StorageError) { self = .store(StoreError(error)) }

  static func opening<Result>(
    _ body: () throws(StoreError) -> Result
  ) throws(ErasureFailure) -> Result {
    do throws(StoreError) { return try body() } catch { throw .store(error) }
  }

  /// The error that the caller receives.
  package var error: any RepriseError {
    switch self {
    case .erasure(let error): error
    case .store(let error): error
    }
  }
}
