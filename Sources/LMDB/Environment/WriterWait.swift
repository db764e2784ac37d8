import RepriseSystem

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A write's wait for the writer of another process. The wait has a limit while that writer shows no sign of life, and
/// no limit while it does. Signs of life are a commit, another thread that has the lock, and processor time of the
/// thread.
struct WriterWait {
  // All in microseconds.
  private let limit: Int
  private(set) var waited = 0
  private var still = 0
  private var asked = 0
  private var nap = 20

  private var last = HeldLocks.Sighting.none
  private var processorTime: UInt64?

  init(milliseconds: Int) { limit = 1000 * milliseconds }

  /// Adds to the time waited.
  mutating func pass(_ time: Int) { waited += time }

  /// Compares the writer with the writer seen some time ago.
  ///
  /// - Throws: `writerBusy`.
  mutating func look(
    _ sighting: HeldLocks.Sighting, _ locks: HeldLocks, after time: Int, _ site: StorageError.Site
  ) throws(StorageError) {
    if sighting != last { still = 0 - time }
    last = sighting
    guard asks(after: time) else { return }
    try ask(about: locks.process(of: sighting.thread), thread: sighting.thread, site)
  }

  /// The same for a process that makes the files. `nil` if the system does not say which.
  ///
  /// - Throws: `writerBusy`.
  mutating func look(atMaker maker: Int32?, after time: Int, _ site: StorageError.Site) throws(StorageError) {
    if asks(after: time) { try ask(about: maker, thread: nil, site) }
  }

  /// Whether to ask the system about the thread, which costs system calls.
  private mutating func asks(after time: Int) -> Bool {
    waited += time
    still += time
    if still == 0 { (asked, processorTime) = (0, nil) }
    return still >= limit || still - asked >= max(1, limit / 30)
  }

  private mutating func ask(
    about process: Int32?, thread: Int32?, _ site: StorageError.Site
  ) throws(StorageError) {
    asked = still
    let time = process.flatMap { ThreadFacts.processorTime(ofProcess: $0, thread: thread) }
    if let known = processorTime, let time, time != known { (still, asked) = (0, 0) }
    processorTime = time
    if still < limit { return }
    throw .writerBusy(process: process, thread: thread, milliseconds: limit / 1000, site)
  }

  /// Sleeps, longer each time, and returns the microseconds slept. In the first second the sleep is so short that it
  /// ends between two commits of a process that saves without a pause.
  mutating func sleep() -> Int {
    let slept = nap
    usleep(UInt32(slept))
    nap = min(2 * nap, waited < 1_000_000 ? 100 : 1000)
    return slept
  }
}
