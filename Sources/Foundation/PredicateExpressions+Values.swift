import RepriseObjectModel
import RepriseQuery

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

// The parts of predicates that are values.

extension PredicateExpressions.Value: TranslatableExpression {
  func translated(_ translation: inout PredicateTranslation) throws(FetchError) -> TranslatedExpression {
    guard let value = PropertyValue(captured: value) else {
      throw .notTranslatable(part: "a value of \(Output.self)", reason: "no property has values of this type")
    }
    return .constant(value)
  }
}

extension PredicateExpressions.NilLiteral: TranslatableExpression {
  func translated(_ translation: inout PredicateTranslation) throws(FetchError) -> TranslatedExpression {
    .constant(.null)
  }
}

extension PredicateExpressions.Variable: TranslatableExpression {
  func translated(_ translation: inout PredicateTranslation) throws(FetchError) -> TranslatedExpression {
    .property(try translation.value(of: key))
  }
}

extension PredicateExpressions.KeyPath: TranslatableExpression {
  func translated(_ translation: inout PredicateTranslation) throws(FetchError) -> TranslatedExpression {
    switch try translation.translate(root) {
    case .property(let property):
      if case .object(let model) = property.content { return try Self.property(keyPath, of: model, property.term) }
      guard case .attribute(.string) = property.content, keyPath == \String.isEmpty else { break }
      return .condition([.compare(property.term, .equal, .string(""))])
    case .members(let path, let model):
      if model.hasCount(keyPath) {
        return .property(TranslatedProperty(term: Term(path, isCount: true), content: .count))
      }
      if model.hasIsEmpty(keyPath) { return .condition(.not([.constant(true), .any(path)])) }
    default: break
    }
    throw .notTranslatable(part: Self.part, reason: "the key path does not lead to a property of a model")
  }

  // A key path does not have the name of a computed property.
  private static var part: String { "a key path from \(Root.Output.self) to \(Output.self)" }

  private static func property(
    _ keyPath: AnyKeyPath, of model: any PersistentModel.Type, _ object: Term
  ) throws(FetchError) -> TranslatedExpression {
    let (names, entity) = (model._keyPaths, model.entity)
    guard let name = names[keyPath] else {
      let isListed = !names.isEmpty
      throw .notTranslatable(
        part: part,
        reason: isListed
          ? "\(entity.name) does not store a property with this key path"
          : "\(entity.name) was written without `@Model`, and its `_keyPaths` must list this key path")
    }
    if name.isEmpty { return .property(TranslatedProperty(term: object, content: .object(model))) }
    guard let property = entity.properties.first(where: { $0.name == name }) else {
      throw .notTranslatable(
        part: part,
        reason: "the `_keyPaths` of \(entity.name) name it '\(name)', which is not a property of \(entity.name)")
    }
    let path = object.path + [name]
    if let attribute = property.attribute {
      return .property(TranslatedProperty(term: Term(path), content: .attribute(attribute.kind)))
    }
    guard let target = property.relationship?.target else {
      throw .notTranslatable(part: part, reason: "`_keyPaths` name an index")
    }
    if property.isToMany { return .members(path: path, target) }
    return .property(TranslatedProperty(term: Term(path), content: .object(target)))
  }
}

extension PersistentModel {
  fileprivate static func hasCount(_ keyPath: AnyKeyPath) -> Bool { keyPath == \ToMany<Self>.count }
  fileprivate static func hasIsEmpty(_ keyPath: AnyKeyPath) -> Bool { keyPath == \ToMany<Self>.isEmpty }
}

extension PredicateExpressions.UnaryMinus: TranslatableExpression {
  func translated(_ translation: inout PredicateTranslation) throws(FetchError) -> TranslatedExpression {
    switch try translation.translate(wrapped) {
    case .constant(.int(let number)) where number != .min: return .constant(.int(-number))
    case .constant(.double(let number)): return .constant(.double(-number))
    default: throw .notTranslatable(part: "UnaryMinus", reason: "only a constant number can have a minus sign")
    }
  }
}

extension PredicateExpressions.NilCoalesce: TranslatableExpression {
  func translated(_ translation: inout PredicateTranslation) throws(FetchError) -> TranslatedExpression {
    let other = try translation.translate(rhs)
    return try Self.joined(try translation.translate(lhs), other, translation)
  }

  private static func joined(
    _ value: TranslatedExpression, _ other: TranslatedExpression, _ translation: PredicateTranslation
  ) throws(FetchError) -> TranslatedExpression {
    switch value {
    case .property(let property): return .choice(property, else: other)
    case .choice(let property, let first): return .choice(property, else: try joined(first, other, translation))
    case .constant(let value): return value.isNull ? other : .constant(value)
    case .conditionWhere(let isThere, let steps):
      let rest = try translation.condition(of: other, "??")
      return .condition(.or(.and(isThere, steps), .and(.not(isThere), rest)))
    case .condition, .members: return value
    }
  }
}

extension PredicateExpressions.OptionalFlatMap: TranslatableExpression {
  func translated(_ translation: inout PredicateTranslation) throws(FetchError) -> TranslatedExpression {
    guard case .property(let value) = try translation.translate(wrapped) else {
      throw .notTranslatable(part: "an optional's flatMap", reason: "only a property can be unwrapped")
    }
    translation.bind(variable.key, to: value)
    switch try translation.translate(transform) {
    // A property behind a missing link reads nil.
    case .property(let result) where result.term.path.starts(with: value.term.path): return .property(result)
    case .condition(let steps): return .conditionWhere(value.isNotNil, steps)
    case .constant(.bool(let constant)): return .conditionWhere(value.isNotNil, [.constant(constant)])
    case .conditionWhere(let isThere, let steps): return .conditionWhere(.and(value.isNotNil, isThere), steps)
    default:
      throw .notTranslatable(
        part: "an optional's flatMap", reason: "its result is neither a property of the unwrapped object nor a Bool")
    }
  }
}
