import RepriseEventStore
import RepriseObjectModel

extension Property {
  /// An attribute as a store describes it.
  static func attribute(_ property: StoredProperty, _ kind: AttributeKind, isOptional: Bool) -> Property {
    attribute(
      property.name, kind, isOptional: isOptional, default: property.defaultValue, indexed: property.index != nil)
  }

  /// An attribute of a kind.
  static func attribute(
    _ name: String, _ kind: AttributeKind, isOptional: Bool, default value: PropertyValue, indexed: Bool
  ) -> Property {
    func make<Value: AttributeValue>(_ type: Value.Type) -> Property {
      .attribute(name, type, default: Value.from(value), indexed: indexed)
    }
    return make(kind.type(isOptional: isOptional))
  }

  /// A derived attribute, whose computation only other programs have. It keeps its value. A save that changes the
  /// object marks it as outdated, because no program has this version of the computation.
  static func derived<Model: PersistentModel>(
    _ name: String, _ kind: AttributeKind, isOptional: Bool, default value: PropertyValue, indexed: Bool, at slot: Int,
    of model: Model.Type
  ) -> Property {
    func make<Value: AttributeValue>(_ type: Value.Type) -> Property {
      .derived(name, type, of: model, version: .max, default: Value.from(value), indexed: indexed) { object in
        object._storage.get(slot)
      }
    }
    return make(kind.type(isOptional: isOptional))
  }

  /// A to-one relationship with a model of a described entity.
  static func toOne<Target: PersistentModel>(
    _ name: String, to target: Target.Type, inverse: String?, _ deleteRule: DeleteRule
  ) -> Property {
    .toOne(name, target, inverse: inverse, deleteRule: deleteRule)
  }

  /// A to-many relationship with a model of a described entity.
  static func toMany<Target: PersistentModel>(
    _ name: String, to target: Target.Type, inverse: String? = nil, _ deleteRule: DeleteRule, isOrdered: Bool
  ) -> Property {
    .toMany(name, target, inverse: inverse, deleteRule: deleteRule, isOrdered: isOrdered)
  }
}

extension AttributeKind {
  /// A Swift type that has all stored values of the kind.
  fileprivate func type(isOptional: Bool) -> any AttributeValue.Type {
    func type<Value: AttributeValue>(_ type: Value.Type) -> any AttributeValue.Type {
      isOptional ? Value?.self : type
    }
    return switch self {
    case .bool: type(Bool.self)
    case .int: type(Int64.self)
    case .unsigned: type(UInt64.self)
    case .double: type(Double.self)
    case .string: type(String.self)
    case .bytes: type([UInt8].self)
    case .date: type(StoredDate.self)
    case .uuid: type(UniqueID.self)
    case .blob: type(Blob.self)
    }
  }
}

/// A date as it is stored. Foundation's `Date` would have to be linked.
struct StoredDate: AttributeValue {
  /// Seconds since 2001-01-01 00:00:00 UTC.
  let seconds: Double

  static var attributeKind: AttributeKind { .date }
  static var readsEveryValue: Bool { true }
  var propertyValue: PropertyValue { .date(seconds) }
  static func from(_ value: PropertyValue) -> StoredDate? {
    if case .date(let seconds) = value { StoredDate(seconds: seconds) } else { nil }
  }
}
