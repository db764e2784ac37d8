import RepriseObjectModel
import RepriseSystem

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The claim of a work that one process at a time does for all processes of a store. The other processes wait for it,
/// and can name the process.
///
/// The claim is a lock on bytes of the environment's file, as the claims of drafts are.
package final class WorkClaim: Sendable {
  // A structure, because an enumeration has conformances that each start would pay for.
  package struct Work: Sendable {
    fileprivate let number: off_t
    package static var migration: Work { Work(number: 0) }
    package static var indexes: Work { Work(number: 1) }
    /// Following a shared log.
    package static var sharing: Work { Work(number: 2) }

    fileprivate var place: off_t { 1 << 61 + 1 << 60 + number * ByteLock.longest }
  }

  private let work: Work
  private let path: String
  private let forkGeneration = ForkGuard.current()
  private let descriptor = Guarded<Int32>(-1)

  /// - Parameter path: The path of the environment's file.
  package init(_ work: Work, path: String) {
    self.work = work
    self.path = path
  }

  deinit { close() }

  /// Takes the claim. False if another process has it. Never waits.
  package func take() throws(SystemFailure) -> Bool {
    try descriptor.withLock { descriptor throws(SystemFailure) in
      try opened(&descriptor)
      return try ByteLock.take(.exclusive, ByteLock.places(from: work.place), of: descriptor)
    }
  }

  /// The process that has the claim, apart from this object. `nil` if there is none, or the system has no such locks.
  package var holder: Int32? {
    descriptor.withLock { descriptor in
      guard (try? opened(&descriptor)) != nil else { return nil }
      return ByteLock.lock(on: work.place, of: descriptor).flatMap { ByteLock.process($0) }
    }
  }

  package func close() {
    descriptor.withLock { descriptor in
      if descriptor >= 0 { ByteLock.close(descriptor, openedIn: forkGeneration) }
      descriptor = -1
    }
  }

  private func opened(_ descriptor: inout Int32) throws(SystemFailure) {
    if descriptor < 0 { descriptor = open(path, O_RDWR | O_CLOEXEC) }
    if descriptor < 0 { throw .last }
  }
}
