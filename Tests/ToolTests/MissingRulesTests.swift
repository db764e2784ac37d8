import Foundation
import RepriseCore
import RepriseDynamic
import RepriseEventStore
import RepriseObjectModel
import RepriseTestTool
import RepriseTool
import XCTest

/// An export lacks a unique rule, and nobody learns of it.
@MainActor
final class MissingRulesTests: XCTestCase {
  func testAnExportLosesARuleSilently() async throws {
    let folder = try ExchangeFolder()
    let swedish = try XCTUnwrap(Collation(name: "locale:sv"))
    let entity = EntityDescription(
      "Place\u{1B}",
      [
        .attribute("code", .string), .attribute("name", .string),
        PropertyDescription(
          "",
          .index([IndexColumn("code", swedish)], isUnique: true, nilsAreEqual: false, keepsHistory: false)),
        PropertyDescription(
          "",
          .index([IndexColumn("name", swedish)], isUnique: false, nilsAreEqual: false, keepsHistory: false)),
      ])
    let store = try await Store.open(folder.path("a"), for: EntityDescription.schema([entity]))
    XCTAssertNil(MissingRules(of: store).text)
    try await store.close()
    let text = try await folder.inspect("a") { MissingRules(of: $0).text }
    XCTAssertNil(text)
    try await changeOrder(of: folder.path("a"))
    let lost = try await folder.inspect("a") { MissingRules(of: $0).text }
    XCTAssertEqual(
      lost,
      "The export lacks unique rules, because this program sorts their texts in another order: Place\\u{1b} [code "
        + "locale:sv]. A store that is made of the export accepts equal values.")
  }

  /// As if a program with another version of ICU had made the indexes.
  private func changeOrder(of path: String) async throws {
    let store = try await Store.open(inspecting: path, editing: true)
    try store.environment.write { transaction in
      for collation in store.map.stored.localeCollations {
        try MetaTable(store.tables.meta).put(MetaKey.collator(of: collation), MetaTable.bytes(UInt32(7)), transaction)
      }
    }
    try await store.close()
  }
}
