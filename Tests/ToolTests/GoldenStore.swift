import Foundation
import RepriseCore
import RepriseDynamic
import RepriseTool
import XCTest

/// A store of real data, whose outputs are in files.
@MainActor
final class GoldenStore {
  private let path = NSTemporaryDirectory() + "reprise-golden-\(UUID().uuidString)"
  private(set) var store: Store!

  /// - Parameter write: Makes the store at a path.
  init(_ write: @MainActor (String) async throws -> Void) async throws {
    try await write(path)
    store = try await Store.open(inspecting: path)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func check(_ name: String, line: UInt = #line, _ body: (Output) throws -> Void) throws {
    var lines: [String] = []
    try body(Output(.text(Style())) { lines.append($0) })
    try GoldenFile.check(lines, name, line: line)
  }

  func export(_ name: String, line: UInt = #line, _ export: StoreExport) async throws {
    var text = ""
    try await export.writeJSON(store) { text += $0 }
    try GoldenFile.check(text.split(separator: "\n").map(String.init), name, line: line)
  }
}
