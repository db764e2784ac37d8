import RepriseObjectModel

/// Files, and frames on their way into them. Held under a lock while a frame is written, never while one is flushed.
struct JournalDisk: Sendable {
  var own: Own
  /// Of dead processes, and of this one before a fold began: read, locked, never written again.
  var held: [HeldJournal] = []
  /// Whole frames that could not be written yet.
  var unwritten: [UInt8] = []
  /// The folder's stamp when it was last looked at and each journal in it was this process's own: as long as it is the
  /// same, there is nothing to look for.
  var quietStamp: JournalFolder.Stamp?
  var lastTime: UInt64 = 0
  /// When the oldest bytes were written that a power cut would still take.
  var unflushedSince: UInt64?
  /// Whether the journal's thread flushes.
  var isFlushing = false
  /// How many flushes are under way.
  var flushes = 0
  var heldIsUnflushed = false
  /// Names in the folder changed, and a power cut would take that back.
  var namesAreUnflushed = false
  var retryAt: UInt64?
  var lastError: JournalError?
  var isAbandoned = false
  /// When what was taken over from dead processes is to be folded; `nil` if there is nothing.
  var foldDue: UInt64?
  var toldFoldAt: UInt64?
  /// Called when it is time to fold.
  var onFold: (@Sendable () -> Void)?
  var isFolding = false

  struct Own: Sendable {
    var journal: UniqueID
    var seed: UInt32
    /// `nil` until there is something to write.
    var file: (any JournalFile)?
    /// Behind the last whole frame.
    var end = JournalFormat.headerSize
    var nextNumber: UInt64 = 1
    /// The number of the last frame in the file.
    var written: UInt64 = 0
    /// The frames up to this one are flushed, and the file says so.
    var flushed: UInt64 = 0
    /// Bytes behind the end are to be cut before the next frame.
    var hasTail = false
    /// What is in the file, if it was read since it last grew.
    var known: JournalContent?

    init(_ journal: UniqueID, log: UniqueID) {
      self.journal = journal
      seed = JournalFormat.seed(log: log, journal: journal)
    }
  }

  var byteCount: Int { held.reduce(own.file == nil ? 0 : own.end) { $0 + $1.scan.bytes.count } }

  /// When something other than writing is due.
  func nextDue(_ options: JournalOptions) -> UInt64? { [flushDue(options), foldDue].compactMap { $0 }.min() }

  /// What is to be flushed now. What others are flushing is part of it: it is not on the disk before they are done.
  mutating func takeUnflushed() -> Unflushed {
    let isAlone = flushes == 0
    let unflushed = Unflushed(
      own: own.file, held: heldIsUnflushed || !isAlone ? held.map(\.file) : [], names: namesAreUnflushed || !isAlone,
      journal: own.journal, written: own.written)
    flushes += 1
    unflushedSince = nil
    heldIsUnflushed = false
    namesAreUnflushed = false
    return unflushed
  }

  /// When the unflushed bytes must be flushed.
  func flushDue(_ options: JournalOptions) -> UInt64? {
    isFlushing ? nil : unflushedSince.map { $0 + options.flushInterval }
  }
}

/// What is on its way to the disk.
struct Unflushed: Sendable {
  let own: (any JournalFile)?
  let held: [any JournalFile]
  let names: Bool
  /// The own journal, and the number of the last frame that was written into it.
  let journal: UniqueID
  let written: UInt64
}

struct HeldJournal: Sendable {
  let content: JournalContent
  var file: any JournalFile
  /// Kept aside once it is folded.
  let isDamaged: Bool

  init(_ content: JournalContent, _ file: any JournalFile, isDamaged: Bool) {
    self.content = content
    self.file = file
    self.isDamaged = isDamaged
  }

  var journal: UniqueID { content.journal }
  var scan: JournalScan { content.scan }
  var index: JournalIndex { content.index }
}
