/// How a journal keeps its promises, and the seams through which tests watch it.
package struct JournalOptions: Sendable {
  /// Nanoseconds from the first unwritten entry to its writing.
  package var aim: UInt64 = 50_000_000
  /// Nanoseconds that an open turn may hold it back. A kill loses no more than this and the time of a write.
  package var turnLimit: UInt64 = 200_000_000
  /// Nanoseconds from writing to flushing: what a power cut may lose.
  package var flushInterval: UInt64 = 5_000_000_000
  /// Nanoseconds until a failed write is tried again.
  package var retryInterval: UInt64 = 1_000_000_000
  /// Bytes of journals beyond which they should be checkpointed.
  package var checkpointThreshold = 1 << 20
  /// Nanoseconds from taking over a dead process's journal to checkpointing it.
  package var checkpointDelay: UInt64 = 1_000_000_000
  /// Bytes of entries that go into one slice of a checkpoint, unless one draft has more.
  package var checkpointSlice = 64 << 10
  /// Bytes that one entry may have; a frame that has so many takes no more. Twice this, and names, is what a frame may
  /// have, whose size has 32 bits in the file.
  package var entryLimit = 1 << 30
  package var clock: any JournalClock
  package var file: @Sendable (any JournalFile) -> any JournalFile = { $0 }
  /// Hears of every failure of the journal's own thread and of entries that could not be recorded. On any thread.
  package var onError: @Sendable (JournalError) -> Void = { _ in }

  package init(clock: any JournalClock = SystemJournalClock()) { self.clock = clock }
}
