import CRepriseChecksums
import RepriseObjectModel

/// Tracks the long texts of one draft that a reader of the file can reconstruct, so that a keystroke need not repeat
/// them.
///
/// It stores only the length and checksum of each text. An untracked text is written whole, which is always correct. So
/// the track may forget texts at any time, and does at each checkpoint.
struct TextTrack: Sendable {
  /// Shorter texts are written whole, before and after: that takes no more bytes, and no splice refers to them.
  static let threshold = 64

  private var prints: [Key: Print] = [:]
  private var groups: [[Step]] = []
  private var redo: [[Step]] = []
  private var generation: UInt64 = 0

  struct Key: Hashable, Sendable {
    let object: UniqueID
    let property: UInt32
  }

  struct Print: Equatable, Sendable {
    let length: Int
    let sum: UInt32

    init(_ bytes: UnsafeRawBufferPointer) {
      length = bytes.count
      sum = reprise_crc32c(0, bytes.baseAddress, bytes.count)
    }
  }

  private struct Step {
    let key: Key
    let before: Print?
    var after: Print?
  }

  func knows(_ key: Key, as print: Print) -> Bool { prints[key] == print }

  mutating func begin(_ generation: UInt64, startsGroup: Bool) {
    // Texts of an earlier generation may have been saved and left the draft, or another process may have had it in
    // between.
    if generation != self.generation { forget() }
    if startsGroup || groups.isEmpty { groups.append([]) }
    self.generation = generation
    redo.removeAll()
  }

  /// `nil` stands for a value that is not tracked: it is short or missing.
  mutating func change(_ key: Key, from before: Print?, to after: Print?) {
    if before == nil && after == nil && prints[key] == nil { return }
    prints[key] = after
    let last = groups.count - 1
    guard last >= 0 else { return }
    if let index = groups[last].lastIndex(where: { $0.key == key }) {
      groups[last][index].after = after
    } else {
      groups[last].append(Step(key: key, before: before, after: after))
    }
  }

  mutating func undo() {
    guard let group = groups.popLast() else { return forget() }
    for step in group { prints[step.key] = step.before }
    redo.append(group)
  }

  mutating func redoLast() {
    guard let group = redo.popLast() else { return forget() }
    for step in group { prints[step.key] = step.after }
    groups.append(group)
  }

  mutating func forget() { self = TextTrack() }
}
