#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// Lets a thread wait for work, for a time that need not be exact.
///
/// The condition of a ``WakeUp`` costs the woken thread another system call, to release the mutex. A semaphore costs no
/// call. On Darwin, semaphores have names, so this is a ``WakeUp`` there.
///
/// Safe: the semaphore has a stable address, is its own synchronisation, and is destroyed once, as this cannot be
/// copied.
struct Semaphore: ~Copyable, @unchecked Sendable {
  #if canImport(Darwin)
  private let wakeUp = WakeUp()

  func signal() { wakeUp.wake() }

  func wait(until deadline: UInt64) { wakeUp.wait(until: deadline) }
  #else
  private let semaphore: UnsafeMutablePointer<sem_t>

  init() {
    semaphore = .allocate(capacity: 1)
    semaphore.initialize(to: sem_t())
    sem_init(semaphore, 0, 0)
  }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  func signal() { sem_post(semaphore) }

  /// Blocks until a signal, until about the deadline in the time of ``WakeUp/now()``, or for less.
  func wait(until deadline: UInt64) {
    let now = WakeUp.now()
    let rest = deadline > now ? deadline - now : 0
    // The clock of semaphores can be set. A wait that ends late or early only changes when an idle thread ends.
    var end = timespec()
    clock_gettime(CLOCK_REALTIME, &end)
    let nanoseconds = UInt64(end.tv_nsec) + rest
    end.tv_sec += Int(nanoseconds / 1_000_000_000)
    end.tv_nsec = Int(nanoseconds % 1_000_000_000)
    sem_timedwait(semaphore, &end)
  }
  #endif
}
