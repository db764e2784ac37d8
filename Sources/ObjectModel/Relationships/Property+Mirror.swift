extension Property {
  /// The other direction of a relationship that is its own inverse, such as `friends`. `nil` for any other property.
  ///
  /// Such a relationship is a many-to-many between two ends of one model. Programs see only one end. Each pair is
  /// stored in both directions, so a look-up needs only an object's own links.
  func mirror(in entity: Entity) -> Property? {
    guard isMirrored(in: entity), let relationship else { return nil }
    var mirror = Property(
      name: Self.mirrorName(of: name),
      role: .toMany(RelationshipDescription(target: relationship.target, inverse: name, deleteRule: .nullify)))
    mirror.formerNames = formerNames.map(Self.mirrorName)
    return mirror
  }

  /// Whether the property is a relationship that is its own inverse.
  func isMirrored(in entity: Entity) -> Bool {
    guard case .toMany(let end) = role, end.inverse == name else { return false }
    return end.target.entity === entity
  }

  /// Whether the property is the other direction of `other`, which is its own inverse.
  func isMirror(of other: Property) -> Bool {
    name == Self.mirrorName(of: other.name) && relationship?.inverse == other.name
  }

  /// The name in the store of the other direction.
  package static func mirrorName(of name: String) -> String { "mirror of \(name)" }
}
