import RepriseJournal
import RepriseLog
import RepriseObjectModel

/// The change that a draft makes to one object, shortened for display.
public struct DraftPreview: Equatable, Sendable {
  /// The kind of a change.
  public enum Kind: Hashable, Sendable {
    /// Saving the draft creates the object.
    case inserted
    /// Saving the draft changes properties of the object.
    case updated
    /// Saving the draft deletes the object.
    case deleted
  }

  /// A property with its values before the first edit and after the last one.
  ///
  /// A text of more than 200 characters is cut to 199 characters and an ellipsis. Bytes are cut to the first 200.
  public struct Property: Equatable, Sendable {
    /// The name of the property in the model.
    public let name: String
    /// The value before; `nil` for an object that is inserted.
    public let old: PropertyValue?
    /// The value after; `nil` for an object that is deleted.
    public let new: PropertyValue?
  }

  /// The ID of the object.
  public let object: AnyObjectID
  /// The kind of the change.
  public let kind: Kind
  /// The properties that change, at most 20 in the model's order. If the draft inserts or deletes the object, these are
  /// the properties that are not `nil`.
  public let properties: [Property]
}

extension DraftPreview {
  private static let (objects, properties, length) = (10, 20, 200)

  /// Previews of the first ten objects of a draft, in the order of their creation.
  static func of(_ image: DraftImage, _ map: SchemaMap) -> [DraftPreview] {
    var previews: [DraftPreview] = []
    for id in image.changes.keys.sorted().prefix(objects) {
      guard let change = image.changes[id], let entity = map.map(id.name)?.entity else { continue }
      previews.append(DraftPreview(id, change, entity))
    }
    return previews
  }

  private init(_ id: AnyObjectID, _ change: ObjectChange, _ entity: Entity) {
    object = id
    var found: [Property] = []
    func add(_ slot: Int, _ old: PropertyValue?, _ new: PropertyValue?) {
      guard found.count < Self.properties, slot < entity.properties.count else { return }
      found.append(
        Property(name: entity.properties[slot].name, old: old.map(Self.cut), new: new.map(Self.cut)))
    }
    switch change {
    case .inserted(let values):
      kind = .inserted
      for (slot, value) in values.enumerated() where value != .null { add(slot, nil, value) }
    case .updated(let changes):
      kind = .updated
      for change in changes { add(change.slot, change.old, change.new) }
    case .deleted(let values):
      kind = .deleted
      for (slot, value) in values.enumerated() where value != .null { add(slot, value, nil) }
    }
    properties = found
  }

  private static func cut(_ value: PropertyValue) -> PropertyValue {
    switch value {
    case .string(let text) where text.utf8.count > length && text.count > length:
      .string(text.prefix(length - 1) + "…")
    case .bytes(let bytes) where bytes.count > length: .bytes(Array(bytes.prefix(length)))
    default: value
    }
  }
}
