#if Macros && canImport(SwiftSyntaxMacros)
import SwiftDiagnostics
import SwiftSyntax

/// Moves an initial value from a property into the class's initialisers.
struct InitialValueMove {
  /// `nil` if there is no initialiser to move it to.
  let remedy: Remedy?

  init(
    of initializer: InitializerClauseSyntax, from binding: PatternBindingSyntax, named name: TokenSyntax,
    in model: ClassDeclSyntax
  ) {
    let statement = "self.\(name.text) = \(initializer.value.trimmedDescription)"
    let bodies = model.designatedInitializers.compactMap(\.body)
    guard !bodies.isEmpty else {
      remedy = nil
      return
    }
    let removal: FixIt.Change = .replace(binding, with: binding.with(\.initializer, nil).trimmedDescription)
    let insertions: [FixIt.Change] = bodies.map { body in
      .replace(body.leftBrace, with: "{" + Self.text(statement, in: body))
    }
    remedy = Remedy("assign it in the initialiser", [removal] + insertions)
  }

  /// On a separate line, with the indentation of the body's first line, or before a body of one line.
  private static func text(_ statement: String, in body: CodeBlockSyntax) -> String {
    guard let first = body.statements.first else { return " \(statement)" }
    let space = first.leadingTrivia.description
    guard let newline = (body.leftBrace.trailingTrivia.description + space).lastIndex(where: \.isNewline) else {
      return " \(statement);"
    }
    let all = body.leftBrace.trailingTrivia.description + space
    return "\n" + all[all.index(after: newline)...] + statement
  }
}

extension ClassDeclSyntax {
  var designatedInitializers: [InitializerDeclSyntax] {
    memberBlock.members.compactMap { $0.decl.as(InitializerDeclSyntax.self) }
      .filter { $0.modifiers.named(.convenience) == nil }
  }
}
#endif
