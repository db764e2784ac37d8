import Foundation
import RepriseObjectModel

/// A file that appears under its name when it is complete. Only this user can read the file, like the files of a store.
///
/// A device or a pipe gets the bytes at once, and stays as it is.
package final class ExportFile {
  private static let bufferSize = 1 << 16

  private let path: String
  /// The file until it is complete. Another export may write to the same path. `nil` for a device.
  private let part: UnfinishedPart?
  private let file: FileHandle
  private var buffer: [UInt8] = []

  package init(_ path: String) throws {
    let real = Self.target(of: path)
    self.path = real
    if Self.isInStore(real) { throw ExportError.inStore(path) }
    var status = stat()
    let isDevice = stat(real, &status) == 0 && ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT)
    part = isDevice ? nil : UnfinishedPart(of: real, .file)
    // The part keeps its lock after this file is closed.
    let descriptor =
      if isDevice { open(real, O_WRONLY | O_CLOEXEC) } else {
        part.map { fcntl($0.descriptor, F_DUPFD_CLOEXEC, 0) } ?? -1
      }
    guard descriptor >= 0 else { throw ExportError.unwritable(path) }
    file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  /// The path that a link names, which may have no file yet. The link stays, and the file is replaced.
  private static func target(of path: String) -> String {
    var url = URL(fileURLWithPath: path)
    for _ in 0..<40 {
      guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: url.path) else { break }
      url = URL(fileURLWithPath: target, relativeTo: url.deletingLastPathComponent())
    }
    return url.path
  }

  /// Whether a path is in the directory of a store, or in one within. An export there could replace the store.
  private static func isInStore(_ path: String) -> Bool {
    var folder = URL(fileURLWithPath: path)
    for _ in 0..<2 {
      folder.deleteLastPathComponent()
      if FileManager.default.fileExists(atPath: folder.path + "/data.mdb") { return true }
    }
    return false
  }

  package func write(_ text: String) throws {
    buffer.append(contentsOf: text.utf8)
    if buffer.count >= Self.bufferSize { try flush() }
  }

  private func flush() throws {
    do { try file.write(contentsOf: buffer) } catch { throw ExportError.unwritable(path) }
    buffer.removeAll(keepingCapacity: true)
  }

  package func finish() throws {
    try complete()
    try publish()
  }

  /// Writes the rest of the file.
  fileprivate func complete() throws {
    try flush()
    do {
      // A pipe or a device cannot be flushed to a disk.
      if part != nil { try file.synchronize() }
      try file.close()
    } catch { throw ExportError.unwritable(path) }
  }

  fileprivate func publish() throws {
    if let part, !part.publish() { throw ExportError.unwritable(path) }
  }

  /// The name of the file of an entity in a directory.
  package static func name(of entity: Entity, _ format: StoreExport.Format) -> String {
    (entity.name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? entity.name) + ".\(format.rawValue)"
  }
}

/// A directory of tables, which appear under their names when all of them are complete.
package final class ExportFolder {
  private let path: String
  private let isNew: Bool
  private var files: [ExportFile] = []
  private var isFinished = false

  package init(_ path: String) throws {
    self.path = path
    let parent = URL(fileURLWithPath: path).deletingLastPathComponent().path
    try? FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
    isNew = mkdir(path, 0o700) == 0
  }

  deinit {
    if isFinished { return }
    files = []
    // Fails if anything else is in the directory.
    if isNew { rmdir(path) }
  }

  /// Adds a table that `body` writes.
  package func add(_ name: String, _ body: (ExportFile) throws -> Void) throws {
    let file = try ExportFile(path + "/" + name)
    try body(file)
    try file.complete()
    files.append(file)
  }

  package func finish() throws {
    for file in files { try file.publish() }
    isFinished = true
  }
}

/// The reason why a store was not exported.
package enum ExportError: Error, Equatable {
  /// The file cannot be written.
  case unwritable(String)
  /// The path is in the directory of a store.
  case inStore(String)
  /// The fetch finds objects of another entity than the wanted one.
  case otherEntity(String, String)
}

extension ExportError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .unwritable(let path):
      "\(PlainText.line(path)) cannot be written. Check that its directory exists, and that the disk has space."
    case .inStore(let path):
      "\(PlainText.line(path)) is in the directory of a store, and could replace the store. Choose another path."
    case .otherEntity(let wanted, let found):
      "The fetch finds objects of \(PlainText.line(found)), and '--entity' names \(PlainText.line(wanted)). Leave out "
        + "'--entity'."
    }
  }
}
