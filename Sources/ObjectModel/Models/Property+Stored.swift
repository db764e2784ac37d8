extension Property {
  /// An attribute of which nothing is known but what is stored.
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

  /// A to-one of which nothing is known but that it is stored.
  package static func storedReference(_ name: String) -> Property {
    Property(name: name, role: .toOne(RelationshipDescription(target: Link.self, inverse: nil, deleteRule: .nullify)))
  }
}
