import Foundation
import XCTest

/// A recorded session of editing: what was typed, and what the text was then.
struct EditingTrace {
  struct Patch {
    /// In Unicode scalars, as the count of what is deleted.
    let offset: Int
    let deleted: Int
    let inserted: String
  }

  struct Checkpoint {
    /// The last transaction before it.
    let transaction: Int
    let digest: String
  }

  let transactions: [[Patch]]
  /// Those between transactions.
  let checkpoints: [Checkpoint]

  /// The first transactions of a trace, and their checkpoints.
  ///
  /// - Parameter file: The trace; its checkpoints lie beside it.
  init(_ file: DataFile, limit: Int) throws {
    let trace = try XCTUnwrap(JSONSerialization.jsonObject(with: file.unzipped()) as? [String: Any])
    XCTAssertEqual(trace["startContent"] as? String, "")
    let all = try XCTUnwrap(trace["txns"] as? [[String: Any]])
    let transactions = try all.prefix(limit).map { transaction in
      try XCTUnwrap(transaction["patches"] as? [[Any]]).map { patch in
        Patch(
          offset: try XCTUnwrap(patch[0] as? Int), deleted: try XCTUnwrap(patch[1] as? Int),
          inserted: try XCTUnwrap(patch[2] as? String))
      }
    }
    self.transactions = transactions
    var ends: Set<Int> = []
    var patches = 0
    for transaction in transactions {
      patches += transaction.count
      ends.insert(patches)
    }
    let name = file.url.lastPathComponent.replacing(".json.gz", with: ".checkpoints.jsonl")
    let folder = file.url.deletingLastPathComponent()
    checkpoints = try Self.lines(folder.appending(component: name)).compactMap { line in
      guard let patches = line["patches"] as? Int, let transaction = line["txn"] as? Int, ends.contains(patches),
        transaction < transactions.count
      else { return nil }
      return Checkpoint(transaction: transaction, digest: try XCTUnwrap(line["sha256"] as? String))
    }
  }

  /// The lines that are checkpoints: with a header and gzip'd, as here, or plain.
  private static func lines(_ url: URL) throws -> [[String: Any]] {
    if FileManager.default.fileExists(atPath: url.path + ".gz") {
      return try DataFile(at: url.path + ".gz").lines().compactMap { $0 as? [String: Any] }
    }
    return try Data(contentsOf: url).split(separator: UInt8(ascii: "\n"))
      .compactMap { try JSONSerialization.jsonObject(with: Data($0)) as? [String: Any] }
  }
}

extension String {
  mutating func apply(_ patch: EditingTrace.Patch) {
    let start = unicodeScalars.index(startIndex, offsetBy: patch.offset)
    let end = unicodeScalars.index(start, offsetBy: patch.deleted)
    replaceSubrange(start..<end, with: patch.inserted)
  }
}
