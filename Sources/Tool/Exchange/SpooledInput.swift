import Foundation

/// The standard input as a file, because an import reads its file twice.
package final class SpooledInput {
  package let path: String
  private let folder: String

  /// Whether a path names something that can be read only once, such as a pipe.
  package static func isNeeded(for path: String) -> Bool {
    var status = stat()
    return path == "-" || stat(path, &status) == 0 && [S_IFIFO, S_IFCHR, S_IFSOCK].contains(status.st_mode & S_IFMT)
  }

  /// Reads everything. Only this user can read the file, which ends with this value.
  package init(_ source: String) throws {
    folder = NSTemporaryDirectory() + "reprise-import-\(UUID().uuidString)"
    path = folder + "/stdin"
    guard let input = source == "-" ? .standardInput : FileHandle(forReadingAtPath: source),
      mkdir(folder, 0o700) == 0, FileManager.default.createFile(atPath: path, contents: nil),
      let file = FileHandle(forWritingAtPath: path)
    else { throw ImportError.unreadable(source) }
    while let bytes = try input.read(upToCount: 1 << 20), !bytes.isEmpty {
      do { try file.write(contentsOf: bytes) } catch { throw ExportError.unwritable(path) }
    }
    try file.close()
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }
}
