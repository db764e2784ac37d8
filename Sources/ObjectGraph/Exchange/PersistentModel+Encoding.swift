import RepriseObjectModel

extension PersistentModel {
  /// Writes the object to an encoder: its ID, and the properties of a form.
  ///
  /// The keys are the names of the properties, and properties that are `nil` are left out. An attribute is encoded as
  /// its type if that is `Codable`. Otherwise its stored value is encoded.
  ///
  /// Costs time in proportion to the number of encoded objects.
  ///
  /// - Parameters:
  ///   - form: The properties to encode; all attributes by default.
  ///   - encoder: The destination.
  /// - Throws: ``ExchangeError`` if the form names a property that the model does not have, or if an attribute cannot
  ///   be read. Any error of the encoder.
  public func encode(_ form: ObjectForm = .attributes, to encoder: any Encoder) throws {
    try EncodableObject(object: self, form: form).encode(to: encoder)
  }
}

/// An object in a form.
package struct EncodableObject: Encodable {
  let object: any PersistentModel
  let form: ObjectForm

  package init(object: any PersistentModel, form: ObjectForm) {
    self.object = object
    self.form = form
  }

  package func encode(to encoder: any Encoder) throws {
    let storage = object._storage
    var container = encoder.container(keyedBy: PropertyKey.self)
    try container.encode(storage.id, forKey: .id)
    for (slot, property, part) in try form.parts(of: storage.entity) {
      let key = PropertyKey(property.name)
      guard let part else {
        if let type = property.type { try container.encode(storage.shown(slot), as: type, forKey: key) }
        continue
      }
      let members = property.isToMany ? storage.members(slot) : storage.target(slot).map { [$0] } ?? []
      switch (part, property.isToMany) {
      case (.id, true): try container.encode(members.map(\._storage.id), forKey: key)
      case (.id, false): try container.encodeIfPresent(members.first?._storage.id, forKey: key)
      case (.object(let form), true):
        try container.encode(members.map { EncodableObject(object: $0, form: form) }, forKey: key)
      case (.object(let form), false):
        try container.encodeIfPresent(members.first.map { EncodableObject(object: $0, form: form) }, forKey: key)
      }
    }
  }
}
