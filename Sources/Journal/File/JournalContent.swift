import RepriseObjectModel

/// The frames of a journal, and their index by draft and scene.
package final class JournalContent: Sendable {
  let scan: JournalScan
  let index: JournalIndex

  init(_ scan: JournalScan) {
    self.scan = scan
    index = JournalIndex(scan, file: JournalFolder.name(scan.journal))
  }

  var journal: UniqueID { scan.journal }
  package var file: String { JournalFolder.name(scan.journal) }

  /// The loss in this file, which may concern any draft that it has entries about.
  var damage: JournalProblem? {
    if scan.leftOut > 0 { return .cutShort(file: file, frames: scan.leftOut) }
    if scan.damage.isEmpty { return nil }
    return .damagedFrames(file: file, byteCount: scan.damage.reduce(0) { $0 + $1.count }, ranges: scan.damage.count)
  }

  /// The number of the frame that holds an entry.
  func number(of entry: JournalIndex.Entry) -> UInt64 { scan.frames[Int(entry.frame)].number }
  /// The time when the entry's frame was written. If a clock was ahead before, it is later than the actual time, so
  /// that the frame sorts after earlier ones.
  func time(of entry: JournalIndex.Entry) -> UInt64 { scan.frames[Int(entry.frame)].time }
}
