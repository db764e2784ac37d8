#if Macros && canImport(SwiftSyntaxMacros)
import SwiftSyntax
import SwiftSyntaxMacros

// The marks in a class expand to nothing, because `@Model` reads them. Without `@Model` they would have no effect, so
// misplaced ones are diagnosed.

struct AttributeMacro: MarkMacro {}
struct RelationshipMacro: MarkMacro {}
struct TransientMacro: MarkMacro {}

/// `#Index` and `#Unique` in a class: they expand to nothing as well.
struct IndexMacro: DeclarationMacro {
  static func expansion(
    of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    let around = context.lexicalContext.first?.asProtocol((any WithAttributesSyntax).self)
    if around?.attributes.named(["Model"]).isEmpty ?? true {
      let text = "'#\(node.macroName.text)' is only for classes with '@Model'"
      context.diagnose(Problem("place", text, at: node).diagnostic)
    }
    return []
  }
}

protocol MarkMacro: PeerMacro {}

extension MarkMacro {
  static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    if !declaration.is(VariableDeclSyntax.self) {
      context.diagnose(Problem("place", "'@\(node.lastName)' is for properties", at: node).diagnostic)
    } else if let around = context.lexicalContext.first?.asProtocol((any WithAttributesSyntax).self),
      around.attributes.named(["Model"]).isEmpty
    {
      let text = "'@\(node.lastName)' is only for classes with '@Model'"
      context.diagnose(Problem("place", text, at: node).diagnostic)
    }
    return []
  }
}
#endif
