import RepriseObjectModel

/// The past values to erase: all values of an object, or the values of some of its properties.
///
/// ```swift
/// try await StoreMaintenance.erase([Erasure(of: person.id.any, ["email"])], in: path)
/// ```
public struct Erasure: Equatable, Sendable {
  /// The object, which may have been deleted.
  public let object: AnyObjectID
  /// The names of the properties in the store, present or former; `nil` for all properties. The erasure of any property
  /// also reaches the derived attributes of the object.
  public let properties: Set<String>?

  /// Erases the past of all properties of an object.
  public init(of object: AnyObjectID) {
    self.object = object
    properties = nil
  }

  /// Erases the past of some properties of an object.
  public init(of object: AnyObjectID, _ properties: Set<String>) {
    self.object = object
    self.properties = properties
  }
}

/// The result of ``StoreMaintenance/erase(_:in:)``.
public struct ErasureReport: Equatable, Sendable {
  /// The number of transactions with erased values.
  public let transactions: Int
  /// The IDs of the drafts with uncommitted edits of the objects. The call discarded these drafts with all their edits.
  public let discardedDrafts: [String]
  /// The size of the data file before the erasure, in bytes.
  public let bytesBefore: Int
  /// The size of the data file after the erasure, in bytes.
  public let bytesAfter: Int
}
