import RepriseObjectModel

/// Files, and frames on their way into them. Held under a lock while a frame is written, not while one is flushed, but
/// for where a lost file is made again.
struct JournalDisk: Sendable {
  var own: Own
  /// Of dead processes, and of this one before a checkpoint began: read, locked, never written again.
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
  var heldIsUnflushed = false
  /// Names in the folder changed, and a power cut would take that back.
  var namesAreUnflushed = false
  var retryAt: UInt64?
  var lastError: JournalError?
  var isAbandoned = false
  /// When what was taken over from dead processes is to be checkpointed; `nil` if there is nothing.
  var checkpointDue: UInt64?
  var toldCheckpointAt: UInt64?
  /// Called when it is time to checkpoint.
  var onCheckpoint: (@Sendable () -> Void)?
  var isCheckpointing = false

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
    /// What lies before survives a power cut.
    private(set) var flushedEnd = JournalFormat.headerSize
    /// What lies behind that, up to the end: a flush that fails leaves nobody else who surely has it.
    private(set) var unflushed: [UInt8] = []
    /// A flush failed; what was not flushed must be written again, in another file.
    var isForgotten = false
    /// What is in the file, if it was read since it last grew.
    var known: JournalContent?

    init(_ journal: UniqueID, log: UniqueID) {
      self.journal = journal
      seed = JournalFormat.seed(log: log, journal: journal)
    }

    /// The file is a new one that has these frames.
    mutating func begin(with frames: [UInt8]) {
      (flushedEnd, unflushed) = (JournalFormat.headerSize, frames)
      (hasTail, isForgotten) = (false, false)
    }

    mutating func didWrite(_ frames: [UInt8]) {
      end += frames.count
      unflushed += frames
    }

    mutating func didFlush(upTo end: Int) {
      guard !isForgotten, end > flushedEnd else { return }
      unflushed.removeFirst(end - flushedEnd)
      flushedEnd = end
    }
  }

  /// Whether a flush failed for one of the files.
  var isForgotten: Bool { own.isForgotten || held.contains(where: \.isForgotten) }

  var byteCount: Int { held.reduce(own.file == nil ? 0 : own.end) { $0 + $1.scan.bytes.count } }

  /// When something other than writing is due.
  func nextDue(_ options: JournalOptions) -> UInt64? { [flushDue(options), checkpointDue].compactMap { $0 }.min() }

  /// What is to be flushed now.
  mutating func takeUnflushed() -> Unflushed {
    let unflushed = Unflushed(
      own: own.file, held: heldIsUnflushed ? held.map(\.file) : [], names: namesAreUnflushed, end: own.end,
      written: own.written)
    unflushedSince = nil
    heldIsUnflushed = false
    namesAreUnflushed = false
    return unflushed
  }

  /// Nobody knows any more which of these files' bytes, and which of their names, the disk has.
  mutating func didNotFlush(_ unflushed: Unflushed, _ failure: JournalError, _ now: UInt64) {
    if own.file === unflushed.own, own.file != nil { own.isForgotten = true }
    for place in held.indices where unflushed.has(held[place].file) {
      held[place].isForgotten = true
      heldIsUnflushed = true
    }
    namesAreUnflushed = namesAreUnflushed || unflushed.names
    unflushedSince = unflushedSince ?? now
    lastError = failure
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
  /// Where the own journal ends, and the number of the last frame that was written into it.
  let end: Int
  let written: UInt64

  func has(_ file: any JournalFile) -> Bool { own === file || held.contains { $0 === file } }
}

struct HeldJournal: Sendable {
  let content: JournalContent
  var file: any JournalFile
  /// Kept aside once it is checkpointed.
  let isDamaged: Bool
  /// A flush failed; what is in it must be written again, in another file.
  var isForgotten = false

  init(_ content: JournalContent, _ file: any JournalFile, isDamaged: Bool) {
    self.content = content
    self.file = file
    self.isDamaged = isDamaged
  }

  var journal: UniqueID { content.journal }
  var scan: JournalScan { content.scan }
  var index: JournalIndex { content.index }
}
