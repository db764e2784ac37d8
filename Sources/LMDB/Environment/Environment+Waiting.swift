#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

// LMDB takes its lock for writing when a write transaction begins, and waits for the lock without a limit. So a write
// transaction begins only when the lock is seen to be free. Less than a microsecond later LMDB takes the lock. If
// another process takes it in between and is stopped with it, the wait has no limit.
//
// The processes get the lock in no particular order: the next writer is the one that looks while the lock is free. A
// process that writes without a pause frees the lock for a moment between two commits. `WriterWait` looks often enough
// to find such a moment soon.
extension Environment {
  /// Takes this process's lock for writing. Waits for other threads of this process. While such a thread waits for
  /// another process, the limit of that wait holds here as well.
  func lockWriter(_ writerWait: inout WriterWait, unless isCancelled: (Int) -> Bool) throws(StorageError) {
    if getpid() != process { throw .forked(site(.beginWrite)) }
    if options.readOnly { throw .readOnlyEnvironment(site(.beginWrite)) }
    if writer.tryLock() { return }
    let slice = 10_000
    while true {
      switch writer.lock(within: slice) {
      case .locked: return
      case .isOwn: throw .writeInsideWrite(site(.beginWrite))
      case .timedOut: break
      }
      if writer.isAwaitingOthers.load(ordering: .relaxed), let sighting {
        try writerWait.look(sighting, locks, after: slice, site(.beginWrite))
      } else {
        writerWait.pass(slice)
      }
      if isCancelled(writerWait.waited / 1000) { throw .cancelled(site(.beginWrite)) }
    }
  }

  /// Returns when no other process writes, or the environment was closed. Called with this process's lock.
  ///
  /// - Throws: `writerBusy`, `cancelled`.
  func awaitWriter(_ writerWait: inout WriterWait, unless isCancelled: (Int) -> Bool) throws(StorageError) {
    writer.isAwaitingOthers.store(true, ordering: .relaxed)
    defer { writer.isAwaitingOthers.store(false, ordering: .relaxed) }
    var slept = 0
    while let sighting {
      try writerWait.look(sighting, locks, after: slept, site(.beginWrite))
      if isCancelled(writerWait.waited / 1000) { throw .cancelled(site(.beginWrite)) }
      slept = writerWait.sleep()
    }
  }

  /// The writer of any process. `nil` if there is none, or the environment was closed: then the file is not mapped.
  var sighting: HeldLocks.Sighting? { gate.withLock { $0.state == .open ? locks.sighting : nil } }
}

extension HeldLocks {
  /// Returns when no other process writes; for an environment that is being opened.
  ///
  /// - Throws: `writerBusy`, `cancelled`.
  func awaitWriter(
    _ writerWait: inout WriterWait, _ site: StorageError.Site, unless isCancelled: () -> Bool
  ) throws(StorageError) {
    var slept = 0
    while let sighting {
      try writerWait.look(sighting, self, after: slept, site)
      if isCancelled() { throw .cancelled(site) }
      slept = writerWait.sleep()
    }
  }
}
