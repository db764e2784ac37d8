import RepriseLMDB
import RepriseLog

/// Both errors that erasing may throw.
package enum ErasureFailure: Error, StorageErrorConvertible {
  case erasure(ErasureError)
  case store(StoreError)

  package init(_ error: StorageError) { self = .store(StoreError(error)) }

  static func opening<Result>(
    _ body: () throws(StoreError) -> Result
  ) throws(ErasureFailure) -> Result {
    do throws(StoreError) { return try body() } catch { throw .store(error) }
  }

  /// What callers are told.
  package var error: any RepriseError {
    switch self {
    case .erasure(let error): error
    case .store(let error): error
    }
  }
}
