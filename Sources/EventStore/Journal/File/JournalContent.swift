import RepriseObjectModel

/// The frames of a journal, and what they are about.
final class JournalContent: Sendable {
  let scan: JournalScan
  let index: JournalIndex

  init(_ scan: JournalScan) {
    self.scan = scan
    index = JournalIndex(scan, file: JournalFolder.name(scan.journal))
  }

  var journal: UniqueID { scan.journal }
  var file: String { JournalFolder.name(scan.journal) }

  /// What of the file is lost: maybe edits of whatever draft the rest is about.
  var damage: JournalProblem? {
    if scan.leftOut > 0 { return .cutShort(file: file, frames: scan.leftOut) }
    if scan.damage.isEmpty { return nil }
    return .damagedFrames(file: file, byteCount: scan.damage.reduce(0) { $0 + $1.count }, ranges: scan.damage.count)
  }

  /// The number of the frame that an entry stands in.
  func number(of entry: JournalIndex.Entry) -> UInt64 { scan.frames[Int(entry.frame)].number }
  /// When it was written.
  func time(of entry: JournalIndex.Entry) -> UInt64 { scan.frames[Int(entry.frame)].time }
}
