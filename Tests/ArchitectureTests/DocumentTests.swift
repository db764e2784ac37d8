import Foundation
import XCTest

/// What documents show is what is compiled, and their links lead somewhere.
final class DocumentTests: XCTestCase {
  func testChangelogBeginsWithTheLibrarysVersion() throws {
    let source = try Checkout.file("Sources/ObjectModel/Identity/RepriseVersion.swift").lines.joined(separator: "\n")
    let version = try XCTUnwrap(source.firstMatch(of: /current: String \{ "(\d+\.\d+\.\d+)" \}/)).1
    let headings = try Checkout.file("CHANGELOG.md").lines.filter { $0.hasPrefix("## ") }
    let latest = try XCTUnwrap(headings.first).split(separator: " ")[1]
    XCTAssertEqual(latest, version)
  }

  /// `.ci/client-tests` compiles and runs that program.
  func testTheProgramOfTheReadmeIsTheOneThatIsRun() throws {
    let readme = try Checkout.file("README.md").lines
    let start = try XCTUnwrap(readme.firstIndex(of: "```swift")) + 1
    let end = try XCTUnwrap(readme[start...].firstIndex(of: "```"))
    let program = try Checkout.file("Tests/ClientTests/Sources/QuickStart/main.swift").lines
    XCTAssertEqual(readme[start..<end].joined(separator: "\n"), program.joined(separator: "\n").trimmedEnd)
  }

  /// `.ci/client-tests` compiles and runs that program.
  func testGettingStartedIsTheProgramThatRuns() throws {
    let pieces = Self.code(in: try Checkout.file("Sources/Reprise/Reprise.docc/GettingStarted.md"))
    let program = try Checkout.file("Tests/ClientTests/Sources/GettingStarted/main.swift").lines
    // The first piece is the manifest.
    let pasted = pieces.dropFirst().map { $0.joined(separator: "\n") }.joined(separator: "\n\n")
    XCTAssertEqual(pasted, program.joined(separator: "\n").trimmedEnd)
  }

  func testGettingStartedHasTheReadmesPackage() throws {
    func manifest(in path: String) throws -> String {
      let pieces = Self.code(in: try Checkout.file(path)).filter { $0.first == Self.manifestStart }
      return try XCTUnwrap(pieces.first).joined(separator: "\n")
    }
    XCTAssertEqual(
      try manifest(in: "Sources/Reprise/Reprise.docc/GettingStarted.md"),
      try manifest(in: "README.md").replacingOccurrences(of: "Inventory", with: "Catalogue"))
  }

  private static let manifestStart = "// swift-tools-version: 6.2"

  /// Those tests run what the document shows.
  func testTheCodeOfPortingIsPartOfItsTests() throws {
    let tests = try Checkout.files(under: "Tests/PortingTests", suffixes: [".swift"]).map { Self.unindented($0.lines) }
    let pieces = Self.code(in: try Checkout.file("Docs/Porting.md"))
    XCTAssertGreaterThan(pieces.count, 10)
    for piece in pieces where !tests.contains(where: { $0.contains(Self.unindented(piece)) }) {
      XCTFail("No test has, word for word:\n\(piece.joined(separator: "\n"))")
    }
  }

  /// Those tests run it, `.ci/client-tests` too, `.ci/compile-tests` and the macros' tests compile it.
  func testTheCodeOfTheManualIsCompiled() throws {
    let folders = ["ManualTests", "ClientTests", "CompileTests", "ObjectGraphMacrosTests"]
    let programs = try folders.flatMap { folder in
      try Checkout.files(under: "Tests/" + folder, suffixes: [".swift"]).map { Self.unindented($0.lines) }
    }
    let articles = try Checkout.files(under: "Sources/Reprise/Reprise.docc", suffixes: [".md"])
    XCTAssertGreaterThan(articles.count, 12)
    for article in articles {
      let pieces = Self.code(in: article).filter { $0.first != Self.manifestStart }
      for piece in pieces where !programs.contains(where: { $0.contains(Self.unindented(piece)) }) {
        XCTFail("\(article.path): no program has, word for word:\n\(piece.joined(separator: "\n"))")
      }
    }
  }

  func testTheFirstPageOfTheManualListsEachArticle() throws {
    let folder = "Sources/Reprise/Reprise.docc"
    let names = try Checkout.files(under: folder, suffixes: [".md"]).map { String($0.name.dropLast(3)) }
    let listed = try Checkout.file(folder + "/Reprise.md").lines.compactMap { line in
      line.wholeMatch(of: /- <doc:(\w+)>/).map { String($0.1) }
    }
    XCTAssertEqual(listed.sorted(), names.filter { $0 != "Reprise" }.sorted())
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
      for link in Self.links(in: document) {
        let path = link.path.isEmpty ? document.path : folder + link.path
        guard Checkout.exists(path) else {
          XCTFail("\(document.path) links to \(link.path), which is not there")
          continue
        }
        if link.heading.isEmpty { continue }
        if Self.headings(in: try Checkout.file(path)).contains(link.heading) { continue }
        XCTFail("\(document.path) links to \(link.path)#\(link.heading), and no heading there is called so")
      }
    }
  }

  func testLinksAreFound() {
    let document = SourceFile(
      path: "a.md", text: "[one](b.md), [two](c/d.md#part), [out](https://x.org), `[no](e.md)`, [here](#here)")
    let links = Self.links(in: document)
    XCTAssertEqual(links.map(\.path), ["b.md", "c/d.md", ""])
    XCTAssertEqual(links.map(\.heading), ["", "part", "here"])
    let headings = SourceFile(path: "b.md", text: "# The `log`: a\n```\n# no\n```\n## Why it's safe\n")
    XCTAssertEqual(Self.headings(in: headings), ["the-log-a", "why-its-safe"])
  }

  func testCommentsCiteDocumentsThatAreThere() throws {
    let citation = /Docs\/[\w\/.-]+\.md/
    let files = try ["Sources", "Tests"].flatMap { try Checkout.files(under: $0, suffixes: [".swift", ".py"]) }
    let lines = files.flatMap(\.lines).filter { $0.has("Docs/") }
    let cited = Set(lines.flatMap { line in line.matches(of: citation).map { String($0.output) } })
    XCTAssertTrue(cited.contains("Docs/FileFormat/blobs.md"), "\(cited)")
    for path in cited.sorted() where !Checkout.exists(path) { XCTFail("\(path) is cited, and is not there") }
  }

  private static func links(in document: SourceFile) -> [(path: String, heading: String)] {
    document.lines.flatMap { line -> [(path: String, heading: String)] in
      let prose = line.split(separator: "`", omittingEmptySubsequences: false).enumerated()
        .filter { $0.offset % 2 == 0 }.map(\.element).joined(separator: "`")
      return prose.components(separatedBy: "](").dropFirst().compactMap { rest in
        let target = rest.prefix { $0 != ")" }
        if target.isEmpty || target.contains("://") { return nil }
        let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        return (parts[0], parts.count > 1 ? parts[1] : "")
      }
    }
  }

  /// As links name them.
  private static func headings(in document: SourceFile) -> Set<String> {
    var headings: Set<String> = []
    var isCode = false
    for line in document.lines {
      if line.hasPrefix("```") { isCode.toggle() }
      if isCode || !line.hasPrefix("#") { continue }
      let text = line.drop { $0 == "#" }.trimmingCharacters(in: .whitespaces).lowercased()
      headings.insert(
        String(text.compactMap { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" ? $0 : $0 == " " ? "-" : nil }))
    }
    return headings
  }
}

extension String {
  fileprivate var trimmedEnd: String { String(reversed().drop(while: \.isNewline).reversed()) }
}
