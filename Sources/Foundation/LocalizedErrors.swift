public import RepriseEventStore
public import RepriseObjectGraph
public import RepriseObjectModel
public import RepriseQuery

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

// Code that shows `localizedDescription`, such as alerts, shows the description. The texts are English.

extension RepriseError where Self: LocalizedError {
  /// The error's description, in English.
  public var errorDescription: String? { description }
}

extension StoreError: LocalizedError {}
extension SchemaError: LocalizedError {}
extension SaveError: LocalizedError {}
extension DraftError: LocalizedError {}
extension LookupError: LocalizedError {}
extension BlobError: LocalizedError {}
extension FetchError: LocalizedError {}
extension UpdateError: LocalizedError {}
extension PropertyError: LocalizedError {}
extension ExchangeError: LocalizedError {}
extension RevertError: LocalizedError {}
extension ProjectionError: LocalizedError {}
extension ErasureError: LocalizedError {}
