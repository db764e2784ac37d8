import RepriseObjectModel

// A role in words, for errors. For a relationship, the words name its target and its inverse.

extension StoredSchema {
  /// The text of a role, with the names of its entities and properties. For a many-to-many relationship, it names the
  /// other end and not the links.
  package func text(of role: StoredProperty.Role) -> String {
    guard let (number, inverse) = role.end, let target = entity(number: number) else { return role.text }
    let isToMany = if case .toMany = role { true } else { false }
    guard isLink(target) else {
      return Self.text(isToMany, target.name, target.property(number: inverse).map { ($0.role.isToMany, $0.name) })
    }
    let other = target.properties.first { $0.number != inverse && !$0.name.isEmpty && $0.role.end != nil }
    let far = (other?.role.end).flatMap { end in
      entity(number: end.target).map { ($0.name, $0.property(number: end.inverse)?.name) }
    }
    return Self.text(true, far?.0 ?? "", far?.1.map { (true, $0) })
  }

  fileprivate static func text(_ isToMany: Bool, _ target: String, _ inverse: (isToMany: Bool, name: String)?) -> String
  {
    let kind = isToMany ? "a to-many relationship" : "a to-one relationship"
    let back = inverse.map { " whose inverse is the \($0.isToMany ? "to-many" : "to-one") '\($0.name)'" } ?? ""
    return "\(kind) to \(target)\(back)"
  }
}

extension ResolvedSchema {
  /// The text of a relationship of the models, in the same words.
  func text(of relationship: Relationship) -> String {
    if let far = relationship.far {
      let back = self.relationship(far.slot, of: relationship.target)
      let name = back.map { $0.target.properties[$0.inverseSlot].name }
      return StoredSchema.text(true, far.entity.name, name.map { (true, $0) })
    }
    let inverse = relationship.target.properties[relationship.inverseSlot].name
    return StoredSchema.text(
      relationship.isToMany, relationship.target.name, (relationship.inverseIsToMany, inverse))
  }
}

extension StoredProperty.Role {
  fileprivate var isToMany: Bool { if case .toMany = self { true } else { false } }

  /// The role in words, for errors. ``StoredSchema/text(of:)`` has the names, too.
  package var text: String {
    switch self {
    case .attribute(let kind, let isOptional): isOptional ? "optional \(kind.name)" : kind.name
    case .toOne: "a to-one relationship"
    case .toMany: "a to-many relationship"
    case .columns, .words: "an index"
    }
  }
}

extension AttributeKind {
  package var name: String {
    switch self {
    case .bool: "Bool"
    case .int: "integer"
    case .unsigned: "unsigned integer"
    case .double: "floating-point number"
    case .string: "String"
    case .bytes: "bytes"
    case .date: "Date"
    case .uuid: "UUID"
    case .blob: "blob"
    }
  }
}
