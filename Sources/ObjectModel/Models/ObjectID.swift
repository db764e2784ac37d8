/// The permanent identity of an object of one model, written `Item.ID`.
///
/// Sendable and `Codable`: hand it to another context, actor or process and look the object up there.
@frozen
public struct ObjectID<Model: PersistentModel>: Hashable, Sendable {
  /// Which object. Unique across entities and stores.
  public let uuid: UniqueID

  @inlinable package init(uuid: UniqueID) { self.uuid = uuid }

  /// The ID without its type.
  public var any: AnyObjectID { AnyObjectID(Model.entity.interned, uuid) }

  /// The objects of these UUIDs. At once, because to append them one by one costs more than to find them.
  package static func ids(_ uuids: [UniqueID]) -> [ObjectID] {
    [ObjectID](unsafeUninitializedCapacity: uuids.count) { ids, count in
      // An ID is its UUID, and no more.
      uuids.withUnsafeBytes { UnsafeMutableRawBufferPointer(ids).copyMemory(from: $0) }
      count = uuids.count
    }
  }

  /// The typed form of an ID; `nil` if it names an object of another entity.
  public init?(_ id: AnyObjectID) {
    guard id.name == Model.entity.interned else { return nil }
    self.init(uuid: id.uuid)
  }
}

extension ObjectID: LosslessStringConvertible {
  /// Entity and UUID, as in `Item/01890a5d-ac96-774b-bcce-b302099a8057`. In a path of a URL, `uuid` alone will do.
  public var description: String { any.description }

  /// Reads the form of ``description``, also under a former name of the entity, and a UUID alone; `nil` for anything
  /// else, and for an object of another entity. Whether there is such an object is for a context to tell.
  public init?(_ description: String) {
    if let uuid = UniqueID(description) {
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
  /// The order of birth.
  @inlinable public static func < (lhs: ObjectID, rhs: ObjectID) -> Bool { lhs.uuid < rhs.uuid }
}

extension ObjectID: Codable {
  /// Reads what ``AnyObjectID`` writes, also under a former name of the entity; throws `DecodingError.dataCorrupted`
  /// for an object of another one.
  public init(from decoder: any Decoder) throws {
    let id = try AnyObjectID(from: decoder)
    guard let typed = ObjectID(readingFormerName: id) else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "\(id) is not an object of \(Model.entity.name)"))
    }
    self = typed
  }

  /// Writes entity and UUID, as ``AnyObjectID`` does.
  public func encode(to encoder: any Encoder) throws { try any.encode(to: encoder) }
}
