import RepriseObjectModel

extension PersistentModel {
  /// Writes the object to an encoder: its ID, and the properties of a selection.
  ///
  /// The keys are the names of the properties, and properties that are `nil` are left out. An attribute is encoded as
  /// its type if that is `Codable`. Otherwise its stored value is encoded.
  ///
  /// Costs time in proportion to the number of encoded objects.
  ///
  /// - Parameters:
  ///   - selection: The properties to encode; all attributes by default.
  ///   - encoder: The destination.
  /// - Throws: ``ExchangeError`` if the selection names a property that the model does not have, or if an attribute
  ///   cannot be read. Any error of the encoder.
  public func encode(_ selection: PropertySelection = .attributes, to encoder: any Encoder) throws {
    try EncodableObject(object: self, selection: selection).encode(to: encoder)
  }
}

/// An object in a selection.
package struct EncodableObject: Encodable {
  let object: any PersistentModel
  let selection: PropertySelection

  package init(object: any PersistentModel, selection: PropertySelection) {
    self.object = object
    self.selection = selection
  }

  package func encode(to encoder: any Encoder) throws {
    let storage = object._storage
    var container = encoder.container(keyedBy: PropertyKey.self)
    try container.encode(storage.id, forKey: .id)
    for (slot, property, part) in try selection.parts(of: storage.entity) {
      let key = PropertyKey(property.name)
      guard let part else {
        if let type = property.type { try container.encode(storage.shown(slot), as: type, forKey: key) }
        continue
      }
      let members = property.isToMany ? storage.members(slot) : storage.target(slot).map { [$0] } ?? []
      switch (part, property.isToMany) {
      case (.id, true): try container.encode(members.map(\._storage.id), forKey: key)
      case (.id, false): try container.encodeIfPresent(members.first?._storage.id, forKey: key)
      case (.object(let selection), true):
        try container.encode(members.map { EncodableObject(object: $0, selection: selection) }, forKey: key)
      case (.object(let selection), false):
        try container.encodeIfPresent(
          members.first.map { EncodableObject(object: $0, selection: selection) }, forKey: key)
      }
    }
  }
}
