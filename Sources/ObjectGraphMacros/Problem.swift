#if Macros && canImport(SwiftSyntaxMacros)
import SwiftDiagnostics
import SwiftSyntax

/// A mistake in a user's source, as the compiler shows it.
struct Problem {
  let id: String
  let text: String
  let node: Syntax
  var remedies: [Remedy] = []

  init(_ id: String, _ text: String, at node: some SyntaxProtocol, _ remedies: Remedy...) {
    self.init(id, text, at: node, remedies)
  }

  init(_ id: String, _ text: String, at node: some SyntaxProtocol, _ remedies: [Remedy]) {
    self.id = id
    self.text = text
    self.node = Syntax(node)
    self.remedies = remedies
  }

  var diagnostic: Diagnostic {
    Diagnostic(
      node: node, message: Message(id: id, message: text, severity: .error),
      fixIts: remedies.map { remedy in
        FixIt(message: Message(id: id, message: remedy.text, severity: .note), changes: remedy.changes)
      })
  }

  private struct Message: DiagnosticMessage, FixItMessage {
    let id: String
    let message: String
    let severity: DiagnosticSeverity
    var diagnosticID: MessageID { MessageID(domain: "Reprise", id: id) }
    var fixItID: MessageID { diagnosticID }
  }
}

/// A change of the source that an editor offers.
struct Remedy {
  let text: String
  let changes: [FixIt.Change]

  init(_ text: String, _ changes: FixIt.Change...) {
    self.text = text
    self.changes = changes
  }

  init(_ text: String, _ changes: [FixIt.Change]) {
    self.text = text
    self.changes = changes
  }
}

extension FixIt.Change {
  /// Replaces a node with text, and keeps the trivia around it. Changes are applied as text, so a token may contain
  /// more than one.
  static func replace(_ node: some SyntaxProtocol, with text: String) -> FixIt.Change {
    let token = TokenSyntax(
      .identifier(text), leadingTrivia: node.leadingTrivia, trailingTrivia: node.trailingTrivia, presence: .present)
    return .replace(oldNode: Syntax(node), newNode: Syntax(token))
  }

  /// Removes a node with the space after it, and its line if the node has it to itself.
  static func remove(_ node: some SyntaxProtocol) -> FixIt.Change {
    let next = node.lastToken(viewMode: .sourceAccurate)?.nextToken(viewMode: .sourceAccurate)
    let ownLine =
      node.leadingTrivia.contains(where: \.isNewline) && next?.leadingTrivia.contains(where: \.isNewline) == true
    let token = TokenSyntax(
      .identifier(""), leadingTrivia: ownLine ? [] : node.leadingTrivia, trailingTrivia: [], presence: .present)
    return .replace(oldNode: Syntax(node), newNode: Syntax(token))
  }
}
#endif
