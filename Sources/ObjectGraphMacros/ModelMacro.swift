#if Macros && canImport(SwiftSyntaxMacros)
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@Model`: description, storage, fields and snapshot as members, accessors for the persisted properties, conformance.
///
/// The compiler expands the three roles separately, and passes only the source to each, so each role reads the class
/// again. Problems are reported once, with the members.
struct ModelMacro: MemberMacro, MemberAttributeMacro, ExtensionMacro {
  static func expansion(
    of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    let (model, problems) = ModelDescription.read(declaration, marked: node)
    for problem in problems { context.diagnose(problem.diagnostic) }
    return model.map { model in
      ModelExpansion(model: model) {
        context.location(of: $0, at: .afterLeadingTrivia, filePathMode: .filePath)
      }.members
    } ?? []
  }

  static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingAttributesFor member: some DeclSyntaxProtocol, in context: some MacroExpansionContext
  ) throws -> [AttributeSyntax] {
    guard let variable = member.as(VariableDeclSyntax.self),
      let name = variable.bindings.first?.pattern.as(IdentifierPatternSyntax.self)?.identifier.text,
      let model = ModelDescription.read(declaration, marked: node).model,
      let slot = model.properties.firstIndex(where: { $0.name.text == name }), model.properties[slot].isUsable,
      !model.properties[slot].isDerived
    else { return [] }
    let kind =
      switch model.properties[slot].kind {
      case .attribute: "Attribute"
      case .toOne: "ToOne"
      case .toMany: "ToMany"
      }
    return ["@RepriseObjectGraph._Stored\(raw: kind)(\(raw: slot))"]
  }

  static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    // If the compiler passes no protocols, the class declares the conformance itself.
    guard !protocols.isEmpty, ModelDescription.read(declaration, marked: node).model != nil else { return [] }
    // In a module with the main actor as default isolation, the conformance exempts the class from the isolation, but
    // not its extensions.
    return [try ExtensionDeclSyntax("nonisolated extension \(type.trimmed): RepriseObjectModel.PersistentModel {}")]
  }
}
#endif
