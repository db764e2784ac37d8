import RepriseObjectModel

/// The journal's files, and frames waiting to be written. Its lock is held during writes but not during flushes, except
/// when a lost file is recreated.
struct JournalDisk: Sendable {
  var own: Own
  /// Journals of dead processes, and this process's own from before a checkpoint: locked, and never written again.
  var held: [HeldJournal] = []
  /// Journals that are not read because another user may have written them.
  var refused: [JournalContent] = []
  /// Files that are not read, and whose drafts and scenes are unknown.
  var unread: [JournalProblem] = []
  /// Problems of the journals that this process took over.
  var damage: [JournalProblem] = []
  /// Whole frames that are not written yet.
  var unwritten: [UInt8] = []
  /// The folder's stamp from when it held only this process's journals: while it is unchanged, the folder need not be
  /// listed.
  var quietStamp: JournalFolder.Stamp?
  var lastTime: UInt64 = 0
  /// When the oldest unflushed bytes were written.
  var unflushedSince: UInt64?
  /// Whether the journal's thread has a flush under way.
  var isFlushing = false
  var heldIsUnflushed = false
  /// Whether names in the folder changed since it was last flushed.
  var namesAreUnflushed = false
  /// Whether the held journals must be flushed before a frame is written to the own file. The frame depends on their
  /// frames, so a power cut that keeps the frame must keep theirs.
  private(set) var heldGoesFirst = false
  var retryAt: UInt64?
  var lastError: JournalError?
  var isAbandoned = false
  /// When to checkpoint the journals taken over from dead processes. `nil` if there are none.
  var checkpointDue: UInt64?
  var toldCheckpointAt: UInt64?
  /// Called when a checkpoint is due.
  var onCheckpoint: (@Sendable () -> Void)?
  var isCheckpointing = false

  struct Own: Sendable {
    var journal: UniqueID
    var seed: UInt32
    /// `nil` until the first write.
    var file: (any JournalFile)?
    /// The end of the last whole frame.
    var end = JournalFormat.headerSize
    var nextNumber: UInt64 = 1
    /// The number of the last frame in the file.
    var written: UInt64 = 0
    /// The durability watermark: the frames up to this number are flushed, and the file records it.
    var flushed: UInt64 = 0
    /// Whether bytes after `end` must be truncated before the next frame.
    var hasTail = false
    /// The bytes before this offset survive a power cut.
    private(set) var flushedEnd = JournalFormat.headerSize
    /// The bytes from there to `end`. After a failed flush, this is the only reliable copy of them.
    private(set) var unflushed: [UInt8] = []
    /// A flush failed: the unflushed bytes must be written again, into a new file.
    var isForgotten = false
    /// The content of the file, if it was read since it last grew.
    var known: JournalContent?

    init(_ journal: UniqueID, log: UniqueID) {
      self.journal = journal
      seed = JournalFormat.seed(log: log, journal: journal)
    }

    /// Resets the state for a new file that holds these frames.
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

  var problems: [JournalProblem] { damage + unread + refused.map { JournalProblem.notPrivate(file: $0.file) } }

  /// Whether a flush failed for any of the files.
  var isForgotten: Bool { own.isForgotten || held.contains(where: \.isForgotten) }

  var byteCount: Int { held.reduce(own.file == nil ? 0 : own.end) { $0 + $1.scan.bytes.count } }

  /// When a flush or a checkpoint is due.
  func nextDue(_ options: JournalOptions) -> UInt64? { [flushDue(options), checkpointDue].compactMap { $0 }.min() }

  /// Holds the journals of dead processes.
  mutating func adopt(_ journals: [HeldJournal]) {
    if journals.isEmpty { return }
    held += journals
    // How much a dead process had flushed is unknown.
    (heldIsUnflushed, heldGoesFirst) = (true, true)
  }

  /// Holds the own journal, and begins another one.
  mutating func rotate(_ journal: HeldJournal, to next: Own) {
    held.append(journal)
    own = next
    heldGoesFirst = true
  }

  /// Whether frames wait until the held journals are flushed.
  var waitsForHeld: Bool { heldGoesFirst && !unwritten.isEmpty }

  /// Notes that a flush has ended.
  mutating func didFlush(_ unflushed: Unflushed) {
    // Journals may have been added during the flush.
    if unflushed.hasNamesOfHeld, !heldIsUnflushed, !namesAreUnflushed { heldGoesFirst = false }
  }

  /// Notes names that dead processes may not have flushed.
  mutating func noteNamesOfHeld() {
    for journal in held where !journal.scan.isNameFlushed { namesAreUnflushed = true }
  }

  /// Takes the files to flush now.
  ///
  /// - Parameter withNamesOfHeld: Whether the names of the held journals must be on the disk, because frames wait for
  ///   these journals.
  mutating func takeUnflushed(withNamesOfHeld: Bool = false) -> Unflushed {
    if withNamesOfHeld { noteNamesOfHeld() }
    let unflushed = Unflushed(
      own: own.file, held: heldIsUnflushed ? held.map(\.file) : [], names: namesAreUnflushed,
      hasNamesOfHeld: withNamesOfHeld, end: own.end, written: own.written)
    unflushedSince = nil
    heldIsUnflushed = false
    namesAreUnflushed = false
    return unflushed
  }

  /// Records a failed flush: which of these files' bytes and names reached the disk is unknown.
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

  /// When the next flush is due. `nil` if nothing is unflushed or a flush is under way.
  func flushDue(_ options: JournalOptions) -> UInt64? {
    isFlushing ? nil : unflushedSince.map { $0 + options.flushInterval }
  }
}

/// The files that one flush covers.
struct Unflushed: Sendable {
  let own: (any JournalFile)?
  let held: [any JournalFile]
  let names: Bool
  let hasNamesOfHeld: Bool
  /// The end of the own journal, and the number of the last frame written to it.
  let end: Int
  let written: UInt64

  func has(_ file: any JournalFile) -> Bool { own === file || held.contains { $0 === file } }
}

struct HeldJournal: Sendable {
  let content: JournalContent
  var file: any JournalFile
  /// A damaged journal is set aside, not removed, once it is checkpointed.
  let isDamaged: Bool
  /// A flush failed: its frames must be written again, into a new file.
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
