public import RepriseEventStore
public import RepriseObjectModel

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Store {
  /// Opens the store in a directory, or creates it, like `open(_:for:access:checksStructure:)` with a path.
  ///
  /// - Throws: ``StoreError``; `notAStore` if the URL is not a file URL.
  public nonisolated(nonsending) static func open<each Model: PersistentModel>(
    at url: URL, for models: repeat (each Model).Type, access: StoreAccess = .owner,
    checksStructure: Bool = false
  ) async throws -> Store {
    try await open(
      at: url, for: Schema(repeat each models), access: access,
      checksStructure: checksStructure)
  }

  /// Opens the store in a directory, or creates it, like `open(_:for:access:checksStructure:)` with a path.
  ///
  /// - Throws: ``StoreError``; `notAStore` if the URL is not a file URL.
  public nonisolated(nonsending) static func open(
    at url: URL, for schema: Schema, access: StoreAccess = .owner,
    checksStructure: Bool = false
  ) async throws -> Store {
    guard url.isFileURL else {
      throw StoreError.notAStore(path: url.absoluteString, reason: "it is not the URL of a file")
    }
    return try await open(
      url.path, for: schema, access: access, checksStructure: checksStructure)
  }
}
