#if Macros
import Foundation
import Reprise
import RepriseDynamic
import RepriseTool
import XCTest

/// The models that `reprise schema --swift` prints of a store. `.ci/compile-tests` compiles the golden files, and
/// `REPRISE_GOLDEN=write` rewrites them.
enum PrintedModels {
  @MainActor static func check(_ schema: Schema, _ name: String, line: UInt = #line) async throws {
    let path = NSTemporaryDirectory() + "reprise-printed-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try await Store.open(path, for: schema).close()
    let store = try await Store.open(inspecting: path)
    var text = ""
    try SchemaReport(store).writeSwift(to: Output(.text(Style())) { text += $0 + "\n" })
    try await store.close()
    let url = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(components: "ToolTests", "Golden", name + "-schema-swift.txt")
    if ProcessInfo.processInfo.environment["REPRISE_GOLDEN"] == "write" { return try Data(text.utf8).write(to: url) }
    XCTAssertEqual(text, try String(contentsOf: url, encoding: .utf8), line: line)
  }
}

/// The printed models of real data change.
@MainActor
final class PrintedModelTests: XCTestCase {
  func testPrintedModelsChange() async throws {
    try await PrintedModels.check(Schema(ChinookTests.models), "shop")
    try await PrintedModels.check(Schema(CongressMember.self), "names")
    try await PrintedModels.check(Schema(TypedText.self), "texts")
    try await PrintedModels.check(Schema(TreeFile.self), "tree")
    try await PrintedModels.check(Schema(RunSession.self), "runs")
  }
}
#endif
