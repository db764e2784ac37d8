#if Macros && canImport(SwiftSyntaxMacros)
import SwiftSyntax

/// A persisted property, as far as its source shows.
struct ModelProperty {
  enum Kind {
    case attribute
    case toOne
    case toMany(TypeSyntax)
  }

  let name: TokenSyntax
  let type: PropertyType
  let kind: Kind
  let defaultValue: DefaultValue
  let marks: PropertyMarks
  /// An access modifier such as `public `, or nothing, for the declarations generated for this property.
  let access: String
  /// Whether an initialiser must give the property a value.
  let needsValue: Bool
  /// Whether this is a computed property whose value is also stored.
  let isDerived: Bool
  /// Whether the macro can replace the property by accessors. A property with a mistake may stay as it is, so that one
  /// mistake is one error.
  let isUsable: Bool

  var formerNames: [String] {
    (marks.attribute ?? marks.relationship)?.formerNames.compactMap(\.expression.literalText) ?? []
  }

  /// The name in the store.
  var storedName: String { name.text.withoutBackticks }
  var slotName: String { Self.slotPrefix + storedName }
  static let slotPrefix = "_slot_"

  /// Whether this is a unique attribute whose texts are in binary order.
  var isUnique: Bool { marks.attribute?.collations(of: "unique").contains(nil) ?? false }

  var inverse: InverseName? { marks.relationship?.argument("inverse").flatMap(InverseName.init) }

  /// The type of the objects at the other end.
  var target: TypeSyntax? {
    switch kind {
    case .attribute: nil
    case .toOne: type.wrapped
    case .toMany(let element): element
    }
  }
}

extension DeclModifierListSyntax {
  func named(_ keywords: Keyword...) -> DeclModifierSyntax? {
    first { modifier in keywords.contains { modifier.name.tokenKind == .keyword($0) } }
  }

  /// The access of generated declarations beside a declaration with these modifiers. `private` becomes `fileprivate`,
  /// because it would hide them inside their own type.
  var accessOfCompanions: String {
    for modifier in self where modifier.detail == nil {
      switch modifier.name.tokenKind {
      case .keyword(.public), .keyword(.open): return "public "
      case .keyword(.package): return "package "
      case .keyword(.private), .keyword(.fileprivate): return "fileprivate "
      default: continue
      }
    }
    return ""
  }
}

extension PatternBindingSyntax {
  /// Whether the property has a getter, so that it stores nothing.
  var isComputed: Bool {
    switch accessorBlock?.accessors {
    case .getter: true
    case .accessors(let list): list.contains { !Self.isObserver($0) }
    default: false
    }
  }

  var observers: [AccessorDeclSyntax] {
    guard case .accessors(let list) = accessorBlock?.accessors else { return [] }
    return list.filter(Self.isObserver)
  }

  private static func isObserver(_ accessor: AccessorDeclSyntax) -> Bool {
    accessor.accessorSpecifier.tokenKind == .keyword(.willSet)
      || accessor.accessorSpecifier.tokenKind == .keyword(.didSet)
  }
}
#endif
