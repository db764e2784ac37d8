import CRepriseFaults

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// What a process changed on the disk, in its order, as Tests/Faults recorded it.
struct Recording {
  struct Change {
    var kind: UInt32
    /// Below the folder that was watched.
    let path: String
    /// The new name, of a renamed file.
    let other: String
    var flags: UInt32
    /// Of a write; the new length, of a truncation.
    var offset: Int
    let bytes: [UInt8]
    /// How many changes a flush covers at least: those from before its beginning. Of a drop, all before it.
    let covered: Int
    /// Whether it counts as made after the next flush.
    var isLate = false

    var isDirectory: Bool { flags & 1 != 0 }
    var isFlushedAtOnce: Bool { flags & 2 != 0 }
    func `is`(_ kind: reprise_change) -> Bool { self.kind == kind.rawValue }
  }

  var changes: [Change]

  init(_ path: String) throws {
    let bytes = try Disk.read(path)
    var changes: [Change] = []
    let isWhole = bytes.withUnsafeBytes { bytes in
      func word(_ place: Int) -> Int { Int(bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self)) }
      func long(_ place: Int) -> Int { Int(bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)) }
      var begun: [Int: Int] = [:]
      var place = 0
      while place < bytes.count {
        guard place + 40 <= bytes.count else { return false }
        let paths = place + 40
        let others = paths + word(place + 4)
        let content = others + word(place + 8)
        let end = content + long(place + 24)
        let flush = long(place + 32)
        guard end <= bytes.count else { return false }
        if UInt32(word(place)) == REPRISE_FLUSH_BEGINS.rawValue { begun[flush] = changes.count }
        changes.append(
          Change(
            kind: UInt32(word(place)), path: String(decoding: bytes[paths..<others], as: UTF8.self),
            other: String(decoding: bytes[others..<content], as: UTF8.self), flags: UInt32(word(place + 12)),
            offset: long(place + 16), bytes: Array(bytes[content..<end]),
            covered: UInt32(word(place)) == REPRISE_DROP.rawValue ? changes.count : begun[flush] ?? 0))
        place = end
      }
      return true
    }
    if !isWhole { throw Disk.Failure(operation: "read the changes in", path: path, code: EILSEQ) }
    self.changes = changes
  }

  /// Where the first such change stands.
  func first(_ kind: reprise_change, _ path: String) -> Int? {
    changes.firstIndex { $0.is(kind) && $0.path == path }
  }

  /// Whether a flush of `path` covers the change at `place`, before the one at `end`.
  func isFlushed(_ place: Int, by path: String, before end: Int) -> Bool {
    changes[..<end].contains { $0.is(REPRISE_FLUSH) && $0.path == path && $0.covered > place }
  }
}
