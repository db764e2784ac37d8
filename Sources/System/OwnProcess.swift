internal import Synchronization

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// This process.
package enum OwnProcess {
  /// The generation of ``ForkGuard`` in the high half, and the number in the low half.
  private static let known = Atomic<Int>(0)

  /// The system's number for it, unique among the processes that this one can see. Asks the system once.
  package static var id: Int32 {
    let generation = ForkGuard.current()
    let found = known.load(ordering: .relaxed)
    if found != 0, found >> 32 == generation { return Int32(truncatingIfNeeded: found) }
    let id = getpid()
    known.store(generation << 32 | Int(id), ordering: .relaxed)
    return id
  }
}
