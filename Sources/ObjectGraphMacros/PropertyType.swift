#if Macros && canImport(SwiftSyntaxMacros)
import SwiftSyntax

/// A type as it is written. A macro sees only this, because only the compiler can resolve names.
struct PropertyType {
  /// The node in the source.
  let original: TypeSyntax
  /// As written, without the space around it.
  let written: TypeSyntax
  /// The type without its optionality.
  let wrapped: TypeSyntax
  let isOptional: Bool
  let isImplicitlyUnwrapped: Bool

  enum Shape {
    /// A type of the library that conforms to `AttributeValue`, or an array, a set or a dictionary of values.
    case scalar
    case toMany(TypeSyntax)
    /// An array or a set of another named type: values or models.
    case collection(TypeSyntax)
    /// Another name: an enum, a model, an alias.
    case named
    /// A tuple, a function, an existential, or a type that contains one.
    case unstorable
  }

  init(_ type: TypeSyntax) {
    original = type
    written = type.trimmed
    if let optional = type.as(OptionalTypeSyntax.self) {
      (wrapped, isOptional, isImplicitlyUnwrapped) = (Self.bare(optional.wrappedType), true, false)
    } else if let optional = type.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
      (wrapped, isOptional, isImplicitlyUnwrapped) = (Self.bare(optional.wrappedType), true, true)
    } else if let argument = Self.arguments(of: type, named: ["Optional"])?.first {
      (wrapped, isOptional, isImplicitlyUnwrapped) = (Self.bare(argument), true, false)
    } else {
      (wrapped, isOptional, isImplicitlyUnwrapped) = (Self.bare(type), false, false)
    }
  }

  var shape: Shape {
    if let array = wrapped.as(ArrayTypeSyntax.self) { return Self.collection(of: array.element) }
    if let dictionary = wrapped.as(DictionaryTypeSyntax.self) {
      return Self.dictionary([dictionary.key, dictionary.value])
    }
    if let element = Self.arguments(of: wrapped, named: ["ToMany", "OrderedToMany"])?.first {
      return .toMany(Self.bare(element))
    }
    if let element = Self.arguments(of: wrapped, named: ["Array", "ContiguousArray", "Set"])?.first {
      return Self.collection(of: element)
    }
    if let types = Self.arguments(of: wrapped, named: ["Dictionary"]) { return Self.dictionary(types) }
    guard let name = Self.name(of: wrapped), name != "Any", name != "AnyObject" else { return .unstorable }
    return Self.scalars.contains(name) ? .scalar : .named
  }

  /// Whether it is the type of an ordered to-many relationship.
  var isOrdered: Bool { Self.name(of: wrapped) == "OrderedToMany" }

  /// The types that read as zero, false or empty if nothing is stored. No other type is known to have such a value.
  private static let scalars: Set<String> = [
    "Bool", "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "Float", "Double",
    "String", "UniqueID", "Date", "Data", "UUID", "TimeInterval", "Blob", "Decimal", "Duration",
  ]

  /// Whether the type is known by its name to have no texts.
  var isNoText: Bool {
    if case .scalar = shape { return Self.name(of: wrapped) != "String" }
    return false
  }

  /// Whether it is the name of a text type.
  var isText: Bool { Self.name(of: wrapped) == "String" }

  /// Whether it is the name of a number, a truth value or a date.
  var isNumber: Bool {
    guard case .scalar = shape, let name = Self.name(of: wrapped) else { return false }
    return Self.scalars.subtracting(["String", "Data", "Blob"]).contains(name)
  }

  private static func collection(of element: TypeSyntax) -> Shape {
    switch PropertyType(element).shape {
    case .scalar: .scalar
    case .named, .collection: .collection(bare(element))
    case .toMany, .unstorable: .unstorable
    }
  }

  /// A relationship is never a dictionary, so a name in it is the name of a value type.
  private static func dictionary(_ types: [TypeSyntax]) -> Shape {
    for type in types {
      switch PropertyType(type).shape {
      case .scalar, .named, .collection: continue
      case .toMany, .unstorable: return .unstorable
      }
    }
    return .scalar
  }

  /// Whether it contains the name `Model` unqualified. In `Fields` this is the associated type of `FieldSet`.
  var namesModel: Bool {
    written.tokens(viewMode: .sourceAccurate).contains { token in
      token.text == "Model" && token.previousToken(viewMode: .sourceAccurate)?.tokenKind != .period
    }
  }

  /// The last component: `Date` of `Foundation.Date`.
  static func name(of type: TypeSyntax) -> String? {
    if let identifier = type.as(IdentifierTypeSyntax.self) { return identifier.name.text }
    if let member = type.as(MemberTypeSyntax.self) { return member.name.text }
    return nil
  }

  private static func arguments(of type: TypeSyntax, named names: Set<String>) -> [TypeSyntax]? {
    guard let name = name(of: type), names.contains(name) else { return nil }
    let clause =
      type.as(IdentifierTypeSyntax.self)?.genericArgumentClause
      ?? type.as(MemberTypeSyntax.self)?.genericArgumentClause
    // With integer generics, an argument may also be a value. No type of the library has such arguments.
    return clause?.arguments.map { TypeSyntax("\(raw: $0.trimmedDescription)") }
  }

  /// The type without the space around it and without superfluous parentheses.
  private static func bare(_ type: TypeSyntax) -> TypeSyntax {
    guard let tuple = type.as(TupleTypeSyntax.self), tuple.elements.count == 1, let only = tuple.elements.first,
      only.firstName == nil
    else { return type.trimmed }
    return bare(only.type)
  }
}
#endif
