import Foundation

/// A file or a directory that has another name until it is complete.
///
/// The part is locked. So a later part for the same path recognises the parts of killed processes, and removes them.
package final class UnfinishedPart {
  package enum Kind {
    case file
    case directory
  }

  /// The name until the part is complete.
  package let path: String
  /// The locked part. A file is open for writing.
  let descriptor: Int32
  private let target: String
  private var isPublished = false

  /// Makes an empty part. `nil` if the system refuses it, with the reason in `errno`.
  package init?(of path: String, _ kind: Kind) {
    let target = URL(fileURLWithPath: path).path
    Self.removeAbandoned(of: target)
    while true {
      let part = "\(target).\(UUID().uuidString.prefix(8)).part"
      if kind == .directory, mkdir(part, 0o700) != 0 { return nil }
      let flags = kind == .directory ? O_RDONLY | O_DIRECTORY : O_WRONLY | O_CREAT | O_EXCL
      let file = open(part, flags | O_NOFOLLOW | O_CLOEXEC, 0o600)
      if file >= 0 {
        flock(file, LOCK_EX)
        if Self.isOpen(part, as: file) {
          (self.path, self.target, descriptor) = (part, target, file)
          return
        }
        close(file)
      } else if kind == .file || errno != ENOENT {
        return nil
      }
      // Before the lock, another process has removed the part like an abandoned one.
    }
  }

  deinit {
    if !isPublished { try? FileManager.default.removeItem(atPath: path) }
    close(descriptor)
  }

  /// Gives the part its name. A file replaces another file, and a directory only an empty one.
  package func publish() -> Bool {
    guard rename(path, target) == 0 else { return false }
    isPublished = true
    return true
  }

  /// Removes the parts that killed processes left for a path.
  package static func removeAbandoned(of path: String) {
    let url = URL(fileURLWithPath: path)
    let (folder, prefix) = (url.deletingLastPathComponent().path, url.lastPathComponent + ".")
    for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    where name.hasPrefix(prefix) && name.hasSuffix(".part") {
      let digits = name.dropFirst(prefix.count).dropLast(5)
      guard digits.count == 8, digits.allSatisfy(\.isHexDigit) else { continue }
      let part = folder + "/" + name
      let file = open(part, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
      guard file >= 0 else { continue }
      // A living process has the lock. The system releases it when the process ends.
      if flock(file, LOCK_EX | LOCK_NB) == 0, isOpen(part, as: file) {
        try? FileManager.default.removeItem(atPath: part)
      }
      close(file)
    }
  }

  /// Whether a path still leads to an open file.
  private static func isOpen(_ path: String, as file: Int32) -> Bool {
    var (there, here) = (stat(), stat())
    return lstat(path, &there) == 0 && fstat(file, &here) == 0 && there.st_dev == here.st_dev
      && there.st_ino == here.st_ino
  }
}
