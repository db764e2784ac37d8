import Foundation
import XCTest

/// The enums in the library's sources.
enum SourceEnums {
  private static func lines(in folder: String) throws -> [[Substring]] {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let files = try XCTUnwrap(
      FileManager.default.enumerator(at: root.appendingPathComponent(folder), includingPropertiesForKeys: nil))
    return try files.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }.map { file in
      try String(contentsOf: file, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
    }
  }

  static func errors() throws -> Set<String> {
    Set(
      // The packages of the tests of traits check the errors behind these.
      try lines(in: "Sources").filter { !($0.first?.hasPrefix("#if ") ?? false) }.joined().compactMap { line in
        line.wholeMatch(of: /public enum (\w+): (?:RepriseError|Error)\b.*/).map { String($0.1) }
      })
  }

  static func cases(of type: String) throws -> Set<String> {
    let declaration = try Regex("(?:public|package) (?:indirect )?enum \(type)[: ].*")
    for lines in try lines(in: "Sources") {
      guard let start = lines.firstIndex(where: { $0.wholeMatch(of: declaration) != nil }) else { continue }
      return Set(
        lines[start...].prefix { $0 != "}" }.compactMap { line in
          line.prefixMatch(of: #/  (?:indirect )?case (\w+)/#).map { String($0.1) }
        })
    }
    XCTFail("no enum \(type) in the sources")
    return []
  }

  /// The enums whose texts the tests of this folder check.
  static func checked() throws -> Set<String> {
    Set(
      try lines(in: "Tests/RepriseTests").joined().compactMap { line in
        line.firstMatch(of: /assertEveryCaseWasChecked\(of: "(\w+)"\)/).map { String($0.1) }
      })
  }
}
