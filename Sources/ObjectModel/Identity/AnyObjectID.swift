/// The permanent ID of an object of any model.
///
/// An object has its ID as soon as it is created, before it is inserted and before a store is open. The ID never
/// changes. ``ObjectID``, written `Item.ID`, is the typed form. An ID does not name the store. `store.uri(for:)`
/// returns a URI that does.
@frozen
public struct AnyObjectID: Hashable, Sendable {
  /// The object's identifier, unique across entities and stores.
  public let uuid: UniqueID
  @usableFromInline package let name: EntityName

  @inlinable package init(_ name: EntityName, _ uuid: UniqueID) {
    self.uuid = uuid
    self.name = name
  }

  /// The name of the object's entity.
  public var entity: String { name.string }
}

extension AnyObjectID: LosslessStringConvertible {
  /// The entity and the UUID, as in `Item/01890a5d-ac96-774b-bcce-b302099a8057`.
  public var description: String { "\(entity)/\(uuid)" }

  /// Parses the form of ``description``, with the UUID in lower case. Returns `nil` for any other text.
  public init?(_ description: String) {
    var text = description
    guard let id = text.withUTF8({ AnyObjectID(utf8: UnsafeRawBufferPointer($0)) }) else { return nil }
    self = id
  }
}

extension AnyObjectID: Comparable {
  /// Compares by UUID, which is the order of creation, and then by entity name.
  public static func < (lhs: AnyObjectID, rhs: AnyObjectID) -> Bool {
    lhs.uuid != rhs.uuid ? lhs.uuid < rhs.uuid : lhs.name != rhs.name && lhs.entity < rhs.entity
  }
}

extension AnyObjectID {
  /// Reads the UTF-8 of the form that ``description`` has. `nil` for anything else.
  package init?(utf8: UnsafeRawBufferPointer) {
    let slash = utf8.count - UniqueID.textLength - 1
    guard slash > 0, utf8[slash] == UInt8(ascii: "/"),
      let uuid = UniqueID(canonical: UnsafeRawBufferPointer(rebasing: utf8[(slash + 1)...])),
      let name = EntityName(utf8: UnsafeRawBufferPointer(rebasing: utf8[..<slash]))
    else { return nil }
    self.init(name, uuid)
  }
}

extension AnyObjectID: Codable {
  /// Decodes the form of ``description``. Throws `DecodingError.dataCorrupted` for any other text.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let id = AnyObjectID(text) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "'\(text)' is not an object ID")
    }
    self = id
  }

  /// Encodes the form of ``description``.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
