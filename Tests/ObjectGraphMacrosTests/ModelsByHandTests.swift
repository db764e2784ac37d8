import Foundation
import Reprise
import XCTest

#if Macros
/// The models of ModelsByHand.swift, written with the macro.
private enum WithMacro {
  @Model final class Book {
    @Attribute(.indexed) var title: String
    var pages: Int = 1
    var subtitle: String?
    var cover: Cover = .paper
    @Relationship(inverse: \Author.books) var author: Author?
    init(title: String) { self.title = title }
  }

  @Model final class Author {
    var name: String
    @Relationship(deleteRule: .cascade) var books: ToMany<Book>
    init(name: String) { self.name = name }
  }
}
#endif

/// Models without the macro, as the manual shows them.
final class ModelsByHandTests: XCTestCase {
  private func file(_ path: String) throws -> String {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }

  func testTheManualShowsModelsThatCompile() throws {
    let article = try file("Sources/Reprise/Reprise.docc/ModelsByHand.md")
    let blocks = article.components(separatedBy: "```swift\n").dropFirst().map {
      $0.components(separatedBy: "\n```")[0]
    }
    let compiled = try file("Tests/ObjectGraphMacrosTests/ModelsByHand.swift")
    XCTAssertEqual(blocks.joined(separator: "\n\n") + "\n", compiled)
  }

  func testModelsByHandKeepValuesAndBothEnds() {
    let author = Author(name: "Ada")
    let book = Book(title: "Notes", author: author)
    XCTAssertEqual(book.title, "Notes")
    XCTAssertEqual(book.pages, 1)
    XCTAssertEqual(book.cover, .paper)
    XCTAssertEqual(author.books.map(\.title), ["Notes"])
    XCTAssertEqual(book.snapshot.author, author.id)
  }

  #if Macros
  func testTheMacroDescribesAModelAsOneWouldByHand() {
    XCTAssertEqual(describe(WithMacro.Book.entity), describe(Book.entity))
    XCTAssertEqual(describe(WithMacro.Author.entity), describe(Author.entity))
    XCTAssertNotEqual(describe(Author.entity), describe(Book.entity))
  }

  func testFetchesAreTheSameValuesWithAndWithoutTheMacro() throws {
    let byHand = Fetch<Book> { $0.author.name == "Ada" && $0.pages > 3 && $0.subtitle == nil && $0.cover == .cloth }
      .sorted { $0.title.ascending }
    let made = Fetch<WithMacro.Book> {
      $0.author.name == "Ada" && $0.pages > 3 && $0.subtitle == nil && $0.cover == .cloth
    }.sorted { $0.title.ascending }
    XCTAssertEqual(try encoded(made), try encoded(byHand))
    let back = Fetch<WithMacro.Author> { $0.books.count > 1 && $0.books.any { $0.author.books.count == 2 } }
    XCTAssertEqual(
      try encoded(back),
      try encoded(Fetch<Author> { $0.books.count > 1 && $0.books.any { $0.author.books.count == 2 } }))
  }

  private func encoded(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  /// All that a schema is made from.
  private func describe(_ entity: Entity) -> [String] {
    [entity.name]
      + entity.properties.map { property in
        switch property.role {
        case .attribute(let it): "\(property.name) \(it)"
        case .toOne(let it): "\(property.name) to one \(it.target.entity.name) \(it.inverse ?? "-") \(it.deleteRule)"
        case .toMany(let it): "\(property.name) to many \(it.target.entity.name) \(it.inverse ?? "-") \(it.deleteRule)"
        case .index: property.name
        }
      }
  }
  #endif
}
