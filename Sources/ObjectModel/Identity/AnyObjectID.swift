/// The permanent identity of an object, of any entity.
///
/// An object has its ID from birth, before it is inserted and before any store is open; nothing changes it later. The
/// typed form is ``ObjectID``, written `Item.ID`. The store is no part of it: `store.uri(for:)` adds it.
@frozen
public struct AnyObjectID: Hashable, Sendable {
  /// Which object. Unique across entities and stores.
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
  /// Entity and UUID, as in `Item/01890a5d-ac96-774b-bcce-b302099a8057`.
  public var description: String { "\(entity)/\(uuid)" }

  /// Reads the form of ``description``; `nil` for anything else.
  public init?(_ description: String) {
    var text = description
    guard let id = text.withUTF8({ AnyObjectID(utf8: UnsafeRawBufferPointer($0)) }) else { return nil }
    self = id
  }
}

extension AnyObjectID: Comparable {
  /// By UUID, which is the order of birth, then by entity name.
  public static func < (lhs: AnyObjectID, rhs: AnyObjectID) -> Bool {
    lhs.uuid != rhs.uuid ? lhs.uuid < rhs.uuid : lhs.name != rhs.name && lhs.entity < rhs.entity
  }
}

extension AnyObjectID {
  /// Reads the form of ``description``, as UTF-8; `nil` for anything else.
  package init?(utf8: UnsafeRawBufferPointer) {
    let slash = utf8.count - UniqueID.textLength - 1
    guard slash > 0, utf8[slash] == UInt8(ascii: "/"),
      let uuid = UniqueID(utf8: UnsafeRawBufferPointer(rebasing: utf8[(slash + 1)...])),
      let name = EntityName(utf8: UnsafeRawBufferPointer(rebasing: utf8[..<slash]))
    else { return nil }
    self.init(name, uuid)
  }
}

extension AnyObjectID: Codable {
  /// Reads the form of ``description``; throws `DecodingError.dataCorrupted` for anything else.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let id = AnyObjectID(text) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "'\(text)' is not an object ID")
    }
    self = id
  }

  /// Writes the form of ``description``.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
