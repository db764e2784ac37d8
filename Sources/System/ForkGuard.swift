package import Synchronization

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// Distinguishes a forked child from its parent, at the cost of one load. A child shares the parent's reader table and
/// locks. Ending a transaction there would end the parent's snapshot.
package enum ForkGuard {
  package static let generation = Atomic<Int>(0)

  private static let installed: Bool = {
    _ = generation.load(ordering: .relaxed)
    return pthread_atfork(nil, nil, { _ = ForkGuard.generation.wrappingAdd(1, ordering: .relaxed) }) == 0
  }()

  /// The generation to remember at open.
  package static func current() -> Int {
    _ = installed
    return generation.load(ordering: .relaxed)
  }
}
