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

  /// The number of the frame that an entry stands in.
  func number(of entry: JournalIndex.Entry) -> UInt64 { scan.frames[Int(entry.frame)].number }
  /// When it was written.
  func time(of entry: JournalIndex.Entry) -> UInt64 { scan.frames[Int(entry.frame)].time }
}
