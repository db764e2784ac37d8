import Foundation
import RepriseCore
import RepriseDirectories

/// A folder for one test, removed with the last reference to it.
final class TestFolder {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "/reprise-directories-\(UInt64.random(in: 0 ... .max))"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  /// One that is there, and is removed with the one around it.
  init(at path: String) { self.path = path }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func write(_ name: String, _ content: String = "") { write(Array(name.utf8), content) }

  /// In place, as a program does that does not save atomically.
  func write(_ name: [UInt8], _ content: String = "") {
    let file = open(bytes(name), O_CREAT | O_TRUNC | O_WRONLY, 0o644)
    precondition(file >= 0, "\(name): \(errno)")
    defer { close(file) }
    precondition(Foundation.write(file, content, content.utf8.count) == content.utf8.count)
  }

  @discardableResult func move(_ from: String, _ to: String) -> Bool {
    rename(path + "/" + from, path + "/" + to) == 0
  }

  @discardableResult func remove(_ name: String) -> Bool { unlink(path + "/" + name) == 0 }

  @discardableResult func make(folder name: String) -> Bool { mkdir(path + "/" + name, 0o755) == 0 }

  @discardableResult func removeFolder(_ name: String) -> Bool {
    (try? FileManager.default.removeItem(atPath: path + "/" + name)) != nil
  }

  func link(_ from: String, _ to: String) { _ = Foundation.link(path + "/" + from, path + "/" + to) }

  func makeSymbolicLink(_ name: String, to other: String) { _ = symlink(other, path + "/" + name) }

  /// The files below, as another reader finds them.
  func files(recursive: Bool, hidden: Bool = false) -> [String] {
    let files = FileManager.default
    let names =
      recursive ? files.enumerator(atPath: path)?.allObjects as? [String] : try? files.contentsOfDirectory(atPath: path)
    return (names ?? []).filter { name in
      var isFolder: ObjCBool = false
      let exists = files.fileExists(atPath: path + "/" + name, isDirectory: &isFolder)
      return exists && !isFolder.boolValue && (hidden || !name.split(separator: "/").contains { $0.hasPrefix(".") })
    }
  }

  private func bytes(_ name: [UInt8]) -> [CChar] {
    (Array(path.utf8) + [UInt8(ascii: "/")] + name).map { CChar(bitPattern: $0) } + [0]
  }
}

extension DataSource {
  var elements: [Element] { Array(rows) }
}
