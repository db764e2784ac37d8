import RepriseObjectModel

/// Files, and frames on their way into them. Held under a lock while a frame is written, never while one is flushed.
struct JournalDisk: Sendable {
  var own: Own
  /// Of dead processes, and of this one before a fold began: read, locked, never written again.
  var held: [HeldJournal] = []
  /// Whole frames that could not be written yet.
  var unwritten: [UInt8] = []
  var lastTime: UInt64 = 0
  /// When the oldest bytes were written that a power cut would still take.
  var unflushedSince: UInt64?
  var isFlushing = false
  var folderIsNew = false
  var retryAt: UInt64?
  var lastError: JournalError?
  var isAbandoned = false
  var toldFullAt: UInt64?

  struct Own: Sendable {
    var journal: UniqueID
    var seed: UInt32
    /// `nil` until there is something to write.
    var file: (any JournalFile)?
    /// Behind the last whole frame.
    var end = JournalFormat.headerSize
    var nextNumber: UInt64 = 1
    /// Bytes behind the end are to be cut before the next frame.
    var hasTail = false
    /// What is in the file, if it was read since it last grew.
    var known: Known?

    init(_ journal: UniqueID, log: UniqueID) {
      self.journal = journal
      seed = JournalFormat.seed(log: log, journal: journal)
    }
  }

  /// A file's frames, and what they are about.
  struct Known: Sendable {
    let scan: JournalScan
    let index: JournalIndex
  }

  var byteCount: Int { held.reduce(own.file == nil ? 0 : own.end) { $0 + $1.scan.bytes.count } }

  /// When the unflushed bytes must be flushed.
  func flushDue(_ options: JournalOptions) -> UInt64? {
    isFlushing ? nil : unflushedSince.map { $0 + options.flushInterval }
  }
}

struct HeldJournal: Sendable {
  let journal: UniqueID
  var file: any JournalFile
  let scan: JournalScan
  let index: JournalIndex
  /// Kept aside once it is folded.
  let isDamaged: Bool

  init(_ scan: JournalScan, _ file: any JournalFile, isDamaged: Bool) {
    self.init(
      JournalDisk.Known(scan: scan, index: JournalIndex(scan, file: JournalFolder.name(scan.journal))), file,
      isDamaged: isDamaged)
  }

  init(_ known: JournalDisk.Known, _ file: any JournalFile, isDamaged: Bool) {
    journal = known.scan.journal
    self.file = file
    scan = known.scan
    index = known.index
    self.isDamaged = isDamaged
  }
}
