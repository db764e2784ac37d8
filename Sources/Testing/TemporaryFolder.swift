import Foundation
import RepriseCore

/// A folder with one store for each launch, removed with the last reference to it.
final class TemporaryFolder: Sendable {
  private let root: String

  init() throws(StoreError) {
    root = FileManager.default.temporaryDirectory.path + "/reprise-\(UUID().uuidString)"
    let root = root
    try Self.doing("making the folder", root) {
      try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    }
  }

  deinit { try? FileManager.default.removeItem(atPath: root) }

  /// The path of the store of a launch.
  func path(_ launch: Int) -> String { "\(root)/\(launch).reprise" }

  /// Copies everything but LMDB's reader table, which belongs to the running process.
  static func copyStore(_ from: String, _ to: String) throws(StoreError) {
    try doing("copying the store", from) {
      let files = FileManager.default
      try files.createDirectory(atPath: to, withIntermediateDirectories: true)
      for name in try files.contentsOfDirectory(atPath: from) where name != "lock.mdb" {
        try files.copyItem(atPath: "\(from)/\(name)", toPath: "\(to)/\(name)")
      }
    }
  }

  private static func doing(_ operation: String, _ path: String, _ body: () throws -> Void) throws(StoreError) {
    do {
      try body()
    } catch {
      throw .system(path: path, operation: operation, code: 0, message: "\(error)")
    }
  }
}
