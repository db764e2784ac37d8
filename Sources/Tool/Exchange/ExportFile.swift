import Foundation
import RepriseObjectModel

/// A file that appears under its name when it is complete.
package final class ExportFile {
  private static let bufferSize = 1 << 16

  private let path: String
  private var file: FileHandle?
  private var buffer: [UInt8] = []

  package init(_ path: String) throws {
    self.path = path
    guard FileManager.default.createFile(atPath: path + ".part", contents: nil),
      let file = FileHandle(forWritingAtPath: path + ".part")
    else { throw ExportError.unwritable(path) }
    self.file = file
  }

  deinit {
    guard let file else { return }
    try? file.close()
    try? FileManager.default.removeItem(atPath: path + ".part")
  }

  package func write(_ text: String) throws {
    buffer.append(contentsOf: text.utf8)
    if buffer.count >= Self.bufferSize { try flush() }
  }

  private func flush() throws {
    do { try file?.write(contentsOf: buffer) } catch { throw ExportError.unwritable(path) }
    buffer.removeAll(keepingCapacity: true)
  }

  package func finish() throws {
    try flush()
    do {
      try file?.synchronize()
      try file?.close()
      guard rename(path + ".part", path) == 0 else { throw ExportError.unwritable(path) }
      file = nil
    } catch { throw ExportError.unwritable(path) }
  }

  /// The name of the file of an entity in a directory.
  package static func name(of entity: Entity, _ format: StoreExport.Format) -> String {
    (entity.name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? entity.name) + ".\(format.rawValue)"
  }
}

/// The reason why a store was not exported.
package enum ExportError: Error, Equatable {
  /// The file cannot be written.
  case unwritable(String)
}

extension ExportError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .unwritable(let path):
      "\(PlainText.line(path)) cannot be written. Check that its directory exists, and that the disk has space."
    }
  }
}
