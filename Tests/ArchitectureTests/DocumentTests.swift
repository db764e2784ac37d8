import Foundation
import XCTest

/// What documents show is what is compiled, and their links lead somewhere.
final class DocumentTests: XCTestCase {
  /// `.ci/client-tests` compiles and runs that program.
  func testTheProgramOfTheReadmeIsTheOneThatIsRun() throws {
    let readme = try Checkout.file("README.md").lines
    let start = try XCTUnwrap(readme.firstIndex(of: "```swift")) + 1
    let end = try XCTUnwrap(readme[start...].firstIndex(of: "```"))
    let program = try Checkout.file("Tests/ClientTests/Sources/QuickStart/main.swift").lines
    XCTAssertEqual(readme[start..<end].joined(separator: "\n"), program.joined(separator: "\n").trimmedEnd)
  }

  /// Those tests run what the document shows.
  func testTheCodeOfPortingIsPartOfItsTests() throws {
    let tests = try Checkout.files(under: "Tests/PortingTests", suffixes: [".swift"]).map { Self.unindented($0.lines) }
    let pieces = Self.code(in: try Checkout.file("Docs/Porting.md"))
    XCTAssertGreaterThan(pieces.count, 10)
    for piece in pieces where !tests.contains(where: { $0.contains(Self.unindented(piece)) }) {
      XCTFail("No test has, word for word:\n\(piece.joined(separator: "\n"))")
    }
  }

  /// Those tests run it, `.ci/compile-tests` and the macros' tests compile it.
  func testTheCodeOfTheManualIsCompiled() throws {
    let programs = try ["Tests/ManualTests", "Tests/CompileTests", "Tests/ObjectGraphMacrosTests"].flatMap { folder in
      try Checkout.files(under: folder, suffixes: [".swift"]).map { Self.unindented($0.lines) }
    }
    let articles = try Checkout.files(under: "Sources/Reprise/Reprise.docc", suffixes: [".md"])
    XCTAssertGreaterThan(articles.count, 12)
    for article in articles {
      for piece in Self.code(in: article) where !programs.contains(where: { $0.contains(Self.unindented(piece)) }) {
        XCTFail("\(article.path): no program has, word for word:\n\(piece.joined(separator: "\n"))")
      }
    }
  }

  func testCodeThatNoTestHasIsFound() {
    let document = SourceFile(path: "a.md", text: "Text\n```swift\nlet a = 1\n  + b\n```\n```swift\nlet c = 2\n```\n")
    let pieces = Self.code(in: document)
    XCTAssertEqual(pieces, [["let a = 1", "  + b"], ["let c = 2"]])
    let test = Self.unindented(["  func test() {", "    let a = 1", "      + b", "    let cc = 2", "  }"])
    XCTAssertEqual(pieces.map { test.contains(Self.unindented($0)) }, [true, false])
  }

  private static func code(in document: SourceFile) -> [[String]] {
    var pieces: [[String]] = []
    var isCode = false
    for line in document.lines {
      if line == "```swift" {
        isCode = true
        pieces.append([])
      } else if line == "```" {
        isCode = false
      } else if isCode {
        pieces[pieces.count - 1].append(line)
      }
    }
    return pieces
  }

  /// Whole lines, whatever their indentation.
  private static func unindented(_ lines: [String]) -> String {
    "\n" + lines.map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: "\n") + "\n"
  }

  func testLinksBetweenDocumentsLeadSomewhere() throws {
    let documents =
      try ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"].map(Checkout.file)
      + Checkout.files(under: "Docs", suffixes: [".md"])
    XCTAssertGreaterThan(documents.count, 5)
    for document in documents {
      let folder = document.path.split(separator: "/").dropLast().map { $0 + "/" }.joined()
      for link in Self.links(in: document) where !Checkout.exists(folder + link) {
        XCTFail("\(document.path) links to \(link), which is not there")
      }
    }
  }

  func testLinksAreFound() {
    let document = SourceFile(path: "a.md", text: "[one](b.md), [two](c/d.md#part), [out](https://x.org), `[no](e.md)`")
    XCTAssertEqual(Self.links(in: document), ["b.md", "c/d.md"])
  }

  private static func links(in document: SourceFile) -> [String] {
    document.lines.flatMap { line -> [String] in
      let prose = line.split(separator: "`", omittingEmptySubsequences: false).enumerated()
        .filter { $0.offset % 2 == 0 }.map(\.element).joined(separator: "`")
      return prose.components(separatedBy: "](").dropFirst().compactMap { rest in
        let target = rest.prefix { $0 != ")" && $0 != "#" }
        return target.isEmpty || target.contains("://") ? nil : String(target)
      }
    }
  }
}

extension String {
  fileprivate var trimmedEnd: String { String(reversed().drop(while: \.isNewline).reversed()) }
}
