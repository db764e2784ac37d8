import RepriseObjectModel
import RepriseQuery

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

// Comparisons with Swift's results: NaN equals nothing, and is neither less nor greater than any number.

extension PredicateTranslation {
  /// Whether both are equal.
  func equality(
    _ left: TranslatedExpression, _ right: TranslatedExpression, of type: Any.Type
  ) throws(FetchError) -> [Step] {
    guard ComparedType.isEquatedAsStored(type) else {
      throw .notTranslatable(
        part: "== of \(type)", reason: "the type may define `==` differently from its stored values")
    }
    return try equality(left, right)
  }

  private func equality(_ left: TranslatedExpression, _ right: TranslatedExpression) throws(FetchError) -> [Step] {
    switch (left, right) {
    case (.choice(let property, let other), _):
      return .or(
        .and(property.isNotNil, try equality(.property(property), right)),
        .and(property.isNil, try equality(other, right)))
    case (_, .choice): return try equality(right, left)
    case (.property(let property), .constant(let value)):
      return value.isNaN ? [.constant(false)] : [.compare(property.term, .equal, value)]
    case (.constant(let one), .constant(let other)): return [.constant(!one.isNaN && one.isEqual(to: other))]
    case (.property(let one), .property(let other)):
      let steps: [Step] = [.compareTerms(one.term, .equal, other.term)]
      return one.isFloating ? .and(steps, [.compare(one.term, .notEqual, one.nan)]) : steps
    case (.condition(let steps), .constant(let value)):
      return value.isNull ? [.constant(false)] : value == .bool(true) ? steps : .not(steps)
    case (.conditionWhere(let isThere, let steps), .constant(let value)):
      return value.isNull ? .not(isThere) : .and(isThere, value == .bool(true) ? steps : .not(steps))
    case (.condition(let one), .condition(let other)): return .or(.and(one, other), .and(.not(one), .not(other)))
    case (.constant, .property), (.constant, .condition), (.constant, .conditionWhere):
      return try equality(right, left)
    case (.condition, _), (_, .condition), (.conditionWhere, _), (_, .conditionWhere), (.members, _), (_, .members):
      throw .notTranslatable(
        part: "==", reason: "one side is a condition, so the other side must be a condition, true or false")
    }
  }

  /// Whether the left one is less, or greater, than the right one.
  func order(
    _ left: TranslatedExpression, _ comparison: Comparison, _ right: TranslatedExpression, of type: Any.Type
  ) throws(FetchError) -> [Step] {
    guard ComparedType.isOrderedAsStored(type) else {
      throw .notTranslatable(
        part: "\(comparison.rawValue) of \(type)",
        reason: "the type may define its order differently from its stored values")
    }
    return try order(left, comparison, right)
  }

  private func order(
    _ left: TranslatedExpression, _ comparison: Comparison, _ right: TranslatedExpression
  ) throws(FetchError) -> [Step] {
    switch (left, right) {
    case (.choice(let property, let other), _):
      return .or(
        .and(property.isNotNil, try order(.property(property), comparison, right)),
        .and(property.isNil, try order(other, comparison, right)))
    case (_, .choice), (.constant, .property): return try order(right, comparison.mirrored, left)
    case (.property(let property), .constant(let value)):
      if value.isNaN { return [.constant(false)] }
      let steps: [Step] = [.compare(property.term, comparison, value)]
      // For conditions, NaN is the greatest number.
      guard property.isFloating, comparison == .greater || comparison == .greaterOrEqual else { return steps }
      return .and(steps, [.compare(property.term, .notEqual, property.nan)])
    case (.constant(let one), .constant(let other)):
      return [.constant(!one.isNaN && !other.isNaN && comparison.holdsOfOrder(one.order(against: other)))]
    case (.property(let one), .property(let other)):
      let steps: [Step] = [.compareTerms(one.term, comparison, other.term)]
      guard one.isFloating else { return steps }
      let greater = comparison == .less || comparison == .lessOrEqual ? other : one
      return .and(steps, [.compare(greater.term, .notEqual, greater.nan)])
    default: throw .notTranslatable(part: comparison.rawValue, reason: "its operands have no order")
    }
  }
}

extension Comparison {
  fileprivate var mirrored: Comparison {
    switch self {
    case .equal, .notEqual: self
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    }
  }

  fileprivate func holdsOfOrder(_ order: ValueOrder) -> Bool {
    switch self {
    case .equal: order == .same
    case .notEqual: order != .same
    case .less: order == .before
    case .lessOrEqual: order != .after
    case .greater: order == .after
    case .greaterOrEqual: order != .before
    }
  }
}

extension PropertyValue {
  var isNaN: Bool {
    switch self {
    case .double(let number), .date(let number): number.isNaN
    default: false
    }
  }

  fileprivate func isEqual(to other: PropertyValue) -> Bool { order(against: other) == .same }
}

/// Types that are known to compare like their stored values.
enum ComparedType {
  static func isOrderedAsStored(_ type: Any.Type) -> Bool {
    switch wrapped(type) {
    case is Int.Type, is Int8.Type, is Int16.Type, is Int32.Type, is Int64.Type, is UInt.Type, is UInt8.Type,
      is UInt16.Type, is UInt32.Type, is UInt64.Type, is Double.Type, is Float.Type, is String.Type, is Date.Type:
      true
    default: false
    }
  }

  static func isEquatedAsStored(_ type: Any.Type) -> Bool {
    let type = wrapped(type)
    if isOrderedAsStored(type) { return true }
    switch type {
    case is Bool.Type, is UUID.Type, is Data.Type, is [UInt8].Type, is UniqueID.Type: return true
    case is any PersistentModel.Type, is any StoredIdentity.Type: return true
    default: return type is any AttributeValue.Type && type is any RawRepresentable.Type
    }
  }

  private static func wrapped(_ type: Any.Type) -> Any.Type { (type as? any OptionalValue.Type)?.wrapped ?? type }
}

/// An ID without its type.
protocol StoredIdentity { var identity: AnyObjectID { get } }

extension ObjectID: StoredIdentity { var identity: AnyObjectID { any } }

/// An optional without its type.
protocol OptionalValue {
  static var wrapped: Any.Type { get }
  var content: Any? { get }
}

extension Optional: OptionalValue {
  static var wrapped: Any.Type { Wrapped.self }
  var content: Any? { self }
}

extension PropertyValue {
  /// A captured value in its stored form. `nil` if attributes and relationships have no values of its type.
  init?(captured value: Any) {
    if let optional = value as? any OptionalValue {
      guard let content = optional.content else {
        self = .null
        return
      }
      self.init(captured: content)
    } else if let value = value as? any AttributeValue {
      self = value.propertyValue
    } else if let object = value as? any PersistentModel {
      self = .reference(object._storage.id)
    } else if let id = value as? any StoredIdentity {
      self = .reference(id.identity)
    } else {
      return nil
    }
  }
}
