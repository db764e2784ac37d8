/// The permanent ID of an object of one model, written `Item.ID`.
///
/// IDs are `Sendable` and `Codable`. Pass an ID to another context, actor or process, and look up the object there.
@frozen
public struct ObjectID<Model: PersistentModel>: Hashable, Sendable {
  /// The object's identifier, unique across entities and stores.
  public let uuid: UniqueID

  @inlinable package init(uuid: UniqueID) { self.uuid = uuid }

  /// The ID without its type.
  public var any: AnyObjectID { AnyObjectID(Model.entity.interned, uuid) }

  /// The IDs with these UUIDs. They are made at once, because appending them one by one would cost more than finding
  /// the UUIDs.
  package static func ids(_ uuids: [UniqueID]) -> [ObjectID] {
    [ObjectID](unsafeUninitializedCapacity: uuids.count) { ids, count in
      // An ID consists of its UUID only.
      uuids.withUnsafeBytes { UnsafeMutableRawBufferPointer(ids).copyMemory(from: $0) }
      count = uuids.count
    }
  }

  /// Converts an untyped ID. Returns `nil` if it belongs to another entity.
  public init?(_ id: AnyObjectID) {
    guard id.name == Model.entity.interned else { return nil }
    self.init(uuid: id.uuid)
  }
}

extension ObjectID: LosslessStringConvertible {
  /// The entity and the UUID, as in `Item/01890a5d-ac96-774b-bcce-b302099a8057`. In a URL path, `uuid` alone is enough.
  public var description: String { any.description }

  /// Parses the form of ``description``, also with a former name of the entity, or a UUID alone. The UUID is in lower
  /// case.
  ///
  /// Returns `nil` for any other text, and for an ID of another entity. The object may not exist: look it up in a
  /// context.
  public init?(_ description: String) {
    if let uuid = UniqueID(canonical: description) {
      self.init(uuid: uuid)
      return
    }
    guard let id = AnyObjectID(description) else { return nil }
    self.init(readingFormerName: id)
  }

  /// The typed form of an ID that may have been written before its entity was renamed.
  private init?(readingFormerName id: AnyObjectID) {
    guard id.name == Model.entity.interned || Model.entity.formerNames.contains(id.entity) else { return nil }
    self.init(uuid: id.uuid)
  }
}

extension ObjectID: Comparable {
  /// Compares by the order of creation.
  @inlinable public static func < (lhs: ObjectID, rhs: ObjectID) -> Bool { lhs.uuid < rhs.uuid }
}

extension ObjectID: Codable {
  /// Decodes the form that ``AnyObjectID`` encodes, also with a former name of the entity.
  ///
  /// Throws `DecodingError.dataCorrupted` for an object of another entity.
  public init(from decoder: any Decoder) throws {
    let id = try AnyObjectID(from: decoder)
    guard let typed = ObjectID(readingFormerName: id) else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "\(id) is not an object of \(Model.entity.name)"))
    }
    self = typed
  }

  /// Encodes the entity and the UUID, like ``AnyObjectID``.
  public func encode(to encoder: any Encoder) throws { try any.encode(to: encoder) }
}
