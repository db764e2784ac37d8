import Foundation

/// A file that outlives a kill. Each line is one write.
final class Ledger: Sendable {
  private let file: Int32

  init(_ path: String) { file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600) }

  deinit { close(file) }

  func add(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    guard write(file, bytes, bytes.count) == bytes.count else { fatalError("the ledger cannot be written: \(errno)") }
  }
}
