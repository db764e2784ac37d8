#if Macros && canImport(SwiftSyntaxMacrosTestSupport)
import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros
import XCTest

@testable import RepriseObjectGraphMacros

/// A source with mistakes, as the macros see it.
struct Misuse {
  let tree: SourceFileSyntax
  let diagnostics: [Diagnostic]
  let members: [DeclSyntax]

  /// Expands `@Model` on the first declaration, and the marks on its members.
  init(_ source: String) throws {
    tree = Parser.parse(source: source)
    let context = BasicMacroExpansionContext()
    let declaration = try XCTUnwrap(tree.statements.first?.item.asProtocol((any DeclGroupSyntax).self))
    let model = declaration.attributes.named(["Model"]).first
    members =
      try model.map {
        try ModelMacro.expansion(of: $0, providingMembersOf: declaration, conformingTo: [], in: context)
      } ?? []
    let inside = BasicMacroExpansionContext(lexicalContext: [Syntax(declaration)])
    for member in declaration.memberBlock.members {
      guard let attributes = member.decl.asProtocol((any WithAttributesSyntax).self)?.attributes else { continue }
      for mark in attributes.named(["Attribute", "Relationship", "Transient"]) {
        _ = try AttributeMacro.expansion(of: mark, providingPeersOf: member.decl, in: inside)
      }
    }
    diagnostics = context.diagnostics + inside.diagnostics
  }

  func applying(_ fixIt: FixIt) -> String {
    var text = Array(tree.description.utf8)
    for edit in fixIt.edits.sorted(by: { $0.range.lowerBound > $1.range.lowerBound }) {
      text.replaceSubrange(
        edit.range.lowerBound.utf8Offset..<edit.range.upperBound.utf8Offset, with: edit.replacement.utf8)
    }
    return String(decoding: text, as: UTF8.self)
  }
}

/// Asserts that the macros find one problem in `source`, at the place marked with `¶`, and that each remedy makes of it
/// the source given, in which none is left.
func assertProblem(
  _ source: String, _ message: String, remedies: [(text: String, source: String)] = [], curesAll: Bool = true,
  file: StaticString = #filePath, line: UInt = #line
) throws {
  let parts = source.split(separator: "¶", omittingEmptySubsequences: false)
  XCTAssertEqual(parts.count, 2, "mark one place with ¶", file: file, line: line)
  let misuse = try Misuse(parts.joined())
  XCTAssertEqual(misuse.diagnostics.map(\.message), [message], file: file, line: line)
  guard let found = misuse.diagnostics.first else { return }
  XCTAssertEqual(found.position.utf8Offset, parts[0].utf8.count, "at another place", file: file, line: line)
  XCTAssertEqual(found.fixIts.map(\.message.message), remedies.map(\.text), file: file, line: line)
  for (fixIt, remedy) in zip(found.fixIts, remedies) {
    let fixed = misuse.applying(fixIt)
    XCTAssertEqual(fixed, remedy.source, file: file, line: line)
    if curesAll { XCTAssertEqual(try Misuse(fixed).diagnostics.map(\.message), [], file: file, line: line) }
  }
}
#endif
