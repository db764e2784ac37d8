import RepriseCore
import RepriseDynamic
import RepriseObjectModel
import RepriseTestTool
import RepriseTool
import XCTest

/// A printed model is not Swift, or is not the model of the store. `.ci/compile-tests` compiles the golden files.
@MainActor
final class SwiftModelTests: XCTestCase {
  private static func attribute(
    _ name: String, _ kind: AttributeKind, _ value: PropertyValue, isIndexed: Bool = false, isDerived: Bool = false
  ) -> PropertyDescription {
    PropertyDescription(
      name, .attribute(kind, isOptional: false, default: value, isIndexed: isIndexed, isDerived: isDerived))
  }

  private static func index(_ columns: IndexColumn..., isUnique: Bool = false, nilsAreEqual: Bool = false)
    -> PropertyDescription
  {
    PropertyDescription(
      "", .index(columns, isUnique: isUnique, nilsAreEqual: nilsAreEqual, keepsHistory: columns.count == 3))
  }

  private static let entities = [
    EntityDescription(
      "Date",
      [
        attribute("state", .string, .string("open \"a\"\n")), attribute("id", .int, .int(.min)),
        attribute("name.first", .string, .string("")), attribute("nameFirst", .string, .string("")),
        attribute("name first", .string, .string("\\(1)")), attribute("class", .bool, .bool(true)),
        attribute("½", .double, .double(.infinity)), attribute("ratio", .double, .double(-1.5e300)),
        attribute("token", .uuid, .uuid(UniqueID(high: 1, low: 2))), attribute("plain", .uuid, .uuid(.zero)),
        attribute("data", .bytes, .bytes([1, 255])), attribute("none", .bytes, .bytes([])),
        attribute("size", .unsigned, .unsigned(.max)), attribute("when", .date, .date(1.5)),
        attribute("text", .string, .string("")), attribute("short", .string, .string(""), isDerived: true),
        .attribute("picture", .blob, isOptional: true), .attribute("photo", .blob),
        .attribute("self", .double, isOptional: true),
        PropertyDescription("String", .toOne("String", inverse: "dates", .nullify)),
        PropertyDescription("friends", .toMany("Date", inverse: "friends", .nullify, isOrdered: false)),
        index(IndexColumn("name.first"), IndexColumn("state")), index(IndexColumn("text", .ignoringCase)),
        index(IndexColumn("nameFirst", [.natural, .ignoringDiacritics]), isUnique: true),
        index(IndexColumn("text", .ignoringCase), IndexColumn("size")),
        index(IndexColumn("short"), IndexColumn("size")),
        index(IndexColumn("self"), isUnique: true, nilsAreEqual: true),
        index(IndexColumn("id"), IndexColumn("size"), IndexColumn("String"), isUnique: true),
        PropertyDescription("", .words("text")),
      ]),
    EntityDescription(
      "String",
      [
        PropertyDescription("dates", .toMany("Date", inverse: nil, .deny, isOrdered: true)),
        PropertyDescription("the next", .toOne("my set", inverse: nil, .cascade)),
      ]),
    EntityDescription("my set", [PropertyDescription("back to", .toOne("String", inverse: "the next", .noAction))]),
    EntityDescription("MySet", [attribute("number", .int, .int(0), isIndexed: true)]),
  ]

  func testOddNamesAreNoSwift() async throws {
    let folder = try ExchangeFolder()
    try await Store.open(folder.path("a"), for: EntityDescription.schema(Self.entities)).close()
    var lines: [String] = []
    try await folder.inspect("a") { store in
      try SchemaReport(store).writeSwift(to: Output(.text(Style())) { lines.append($0) })
    }
    try GoldenFile.check(lines, "odd-schema-swift.txt")
  }
}
