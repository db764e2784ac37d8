import RepriseObjectModel

/// Whose past values are to be erased: those of an object, or of some of its properties.
public struct Erasure: Equatable, Sendable {
  /// The object; it may have been deleted.
  public let object: AnyObjectID
  /// The names of the properties in the store, of now or before; `nil` stands for all.
  public let properties: Set<String>?

  /// The past of all properties of an object.
  public init(of object: AnyObjectID) {
    self.object = object
    properties = nil
  }

  /// The past of some properties of an object.
  public init(of object: AnyObjectID, _ properties: Set<String>) {
    self.object = object
    self.properties = properties
  }
}

/// What ``StoreMaintenance/erase(_:in:)`` did.
public struct ErasureReport: Equatable, Sendable {
  /// How many transactions had values that were erased.
  public let transactions: Int
  /// The drafts with uncommitted edits of the objects, which are gone with all their edits.
  public let discardedDrafts: [String]
  /// The bytes of the data file before.
  public let bytesBefore: Int
  /// The bytes of the data file after.
  public let bytesAfter: Int
}
