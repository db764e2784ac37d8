extension Property {
  /// An attribute with only its stored description.
  package static func storedAttribute(
    _ name: String, _ kind: AttributeKind, isOptional: Bool, default defaultValue: PropertyValue
  ) -> Property {
    Property(
      name: name,
      role: .attribute(
        AttributeDescription(
          kind: kind, isOptional: isOptional, defaultValue: defaultValue, isIndexed: false, mergeRule: nil,
          isDefaultReadable: true, readsEveryValue: true, reads: { _ in true }, type: String.self)))
  }

  /// A to-one with only its stored description.
  package static func storedReference(_ name: String) -> Property {
    Property(name: name, role: .toOne(RelationshipDescription(target: Link.self, inverse: nil, deleteRule: .nullify)))
  }
}
