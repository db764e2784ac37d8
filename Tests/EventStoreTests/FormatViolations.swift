import Foundation
import RepriseTestLog
import XCTest

/// Rows that the grammar lines of Docs/FileFormat do not allow, made from the rows of a sound store.
struct FormatViolations {
  struct Violation {
    let kind: String
    /// The grammar lines that the rows violate.
    let lines: [String]
    let table: String
    /// Without a value, the row must be removed.
    let rows: [(key: [UInt8], value: [UInt8]?)]
  }

  /// All grammar lines, each as its page, its name and its text.
  let lines: [String]
  let all: [Violation]

  /// - Parameters:
  ///   - path: The store, whose rows must all have the form that the lines describe.
  ///   - covered: The lines that need no violations.
  init(of path: String, without covered: Set<String>, seed: UInt64) throws {
    let pages = PythonReader.folder.appendingPathComponent("../../Docs/FileFormat").standardizedFileURL.path
    let list = NSTemporaryDirectory() + "reprise-covered-" + UUID().uuidString
    try covered.sorted().joined(separator: "\n").write(toFile: list, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(atPath: list) }
    let output = try PythonReader.run("reprise_violations.py", pages, path, "\(seed)", list)
    XCTAssertEqual(output.status, 0, output.errors)
    let unmatched = output.lines("unmatched").map { row in
      "\(row["table"] ?? ""): \(row["key"] ?? "") \(row["value"] ?? "")"
    }
    XCTAssertEqual(unmatched, [], "no grammar line describes these rows")
    lines = output.lines("line").compactMap { $0["id"] as? String }
    all = output.lines("violation").map { line in
      let rows = (line["rows"] as? [[Any]] ?? []).map { row in
        (key: bytes(hex: row[0] as? String ?? ""), value: (row[1] as? String).map { bytes(hex: $0) })
      }
      return Violation(
        kind: line["kind"] as? String ?? "", lines: line["lines"] as? [String] ?? [],
        table: line["table"] as? String ?? "", rows: rows)
    }
  }
}
