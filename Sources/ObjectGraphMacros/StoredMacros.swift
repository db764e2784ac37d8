#if Macros && canImport(SwiftSyntaxMacros)
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

// The attributes that `@Model` puts on persisted properties, with the property's slot. Users do not write these.

/// An attribute: accessors on the storage, and an empty peer.
///
/// The peer is for the compiler's rule that an initialiser gives every property a value. Without it, either the
/// initialiser for stored objects would have to give values, or the compiler would not report a missing value in other
/// initialisers. The peer is a struct, because an empty tuple counts as initialised from the start.
struct StoredAttributeMacro: AccessorMacro, PeerMacro {
  static func expansion(
    of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AccessorDeclSyntax] {
    guard let (slot, peer) = read(node, declaration) else { return [] }
    return [
      """
      @storageRestrictions(accesses: _storage, initializes: \(peer))
      init(initialValue) {
        \(peer) = RepriseObjectModel.PropertySlot()
        _storage.initialize(\(slot), initialValue)
      }
      """,
      "get { _storage.get(\(slot)) }",
      "set { _storage.set(\(slot), newValue) }",
    ]
  }

  static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let (_, peer) = read(node, declaration) else { return [] }
    return ["private var \(peer): RepriseObjectModel.PropertySlot"]
  }

  private static func read(
    _ node: AttributeSyntax, _ declaration: some DeclSyntaxProtocol
  ) -> (slot: ExprSyntax, peer: TokenSyntax)? {
    guard let slot = node.labeledArguments.first?.expression,
      let pattern = declaration.as(VariableDeclSyntax.self)?.bindings.first?.pattern,
      let name = pattern.as(IdentifierPatternSyntax.self)?.identifier.text.withoutBackticks
    else { return nil }
    return (slot.trimmed, .identifier(ModelProperty.slotPrefix + name))
  }
}

/// A to-one relationship. It has no init accessor, because an init accessor has no `self` that the other end could
/// refer to.
struct StoredToOneMacro: AccessorMacro {
  static func expansion(
    of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AccessorDeclSyntax] {
    guard let slot = node.labeledArguments.first?.expression.trimmed else { return [] }
    return ["get { _storage.toOne(\(slot)) }", "set { _storage.setToOne(\(slot), newValue, of: self) }"]
  }
}

/// A to-many relationship. Its value is a view, and assigning to it replaces all members.
struct StoredToManyMacro: AccessorMacro {
  static func expansion(
    of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AccessorDeclSyntax] {
    guard let slot = node.labeledArguments.first?.expression.trimmed,
      let type = declaration.as(VariableDeclSyntax.self)?.bindings.first?.typeAnnotation?.type
    else { return [] }
    let view: TokenSyntax = PropertyType(type).isOrdered ? "OrderedToMany" : "ToMany"
    return [
      "get { RepriseObjectModel.\(view)(\(slot), of: self) }",
      "set { _storage.setToMany(\(slot), newValue, of: self) }",
    ]
  }
}
#endif
