import RepriseObjectModel

extension Property {
  /// Why an attribute or a to-one cannot hold a value. `nil` if it can.
  package func objection(to value: PropertyValue) -> InvalidValue.Reason? {
    guard let attribute else {
      guard let target, !value.isNull else { return nil }
      return value.reference?.name == target.interned ? nil : .typeMismatch(expected: "an object of \(target.name)")
    }
    if value.isNull { return attribute.isOptional ? nil : .missing }
    guard attribute.kind.accepts(value) else { return .typeMismatch(expected: attribute.kind.withArticle) }
    return attribute.reads(value) ? nil : .outOfRange
  }
}

extension AttributeKind {
  fileprivate var withArticle: String {
    switch self {
    case .int, .unsigned: "an \(name)"
    case .bytes: name
    default: "a \(name)"
    }
  }
}
