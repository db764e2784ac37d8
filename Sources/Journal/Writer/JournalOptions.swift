/// The timing and limits of a journal, and the seams for tests.
package struct JournalOptions: Sendable {
  /// Nanoseconds from appending the first unwritten entry to writing it.
  package var aim: UInt64 = 50_000_000
  /// Nanoseconds that an open turn may hold entries back. A kill loses no more than this and the time of a write.
  package var turnLimit: UInt64 = 200_000_000
  /// Nanoseconds from writing to flushing: how much a power cut may lose.
  package var flushInterval: UInt64 = 5_000_000_000
  /// Nanoseconds until a failed write is retried.
  package var retryInterval: UInt64 = 1_000_000_000
  /// Bytes of journals beyond which a checkpoint is due.
  package var checkpointThreshold = 1 << 20
  /// Nanoseconds from taking over a dead process's journal to checkpointing it.
  package var checkpointDelay: UInt64 = 1_000_000_000
  /// Bytes of entries in one slice of a checkpoint, unless a single draft has more.
  package var checkpointSlice = 64 << 10
  /// The greatest size of an entry in bytes. A frame that has reached it takes no more entries. A frame may thus reach
  /// twice this plus its names, and its size has 32 bits in the file.
  package var entryLimit = 1 << 30
  /// A draft with more rows than this in the tables is not read as a whole when a context takes it up.
  package var wholeDraftLimit = 1_000
  package var clock: any JournalClock
  package var file: @Sendable (any JournalFile) -> any JournalFile = { $0 }
  /// Receives every failure of the journal's own thread, and every entry that could not be recorded. Called on any
  /// thread.
  package var onError: @Sendable (JournalError) -> Void = { _ in }

  package init(clock: any JournalClock = SystemJournalClock()) { self.clock = clock }
}
