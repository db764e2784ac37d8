#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Admits one writer per process, before LMDB's own lock between processes. It tracks its thread, so that a write
/// inside a write is an error and not a deadlock.
// Safe: the pointers never change; the mutex synchronises itself, and only its holder uses the other pointees.
final class WriterLock: @unchecked Sendable {
  // A pthread mutex must not move, so it lives on the heap.
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  /// Used only by the thread that holds the lock.
  let failure: UnsafeMutablePointer<Int32>
  /// Whether the meta pages on the disk may differ from those that are read. Used only by the thread that holds the
  /// lock.
  let metaPagesAreForgotten: UnsafeMutablePointer<Bool>
  /// The last commit whose list of free pages was looked at. Used only by the thread that holds the lock.
  let checkedFreePages: UnsafeMutablePointer<UInt>

  init() {
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    failure = .allocate(capacity: 1)
    failure.initialize(to: 0)
    metaPagesAreForgotten = .allocate(capacity: 1)
    metaPagesAreForgotten.initialize(to: false)
    checkedFreePages = .allocate(capacity: 1)
    checkedFreePages.initialize(to: 0)
    var attributes = pthread_mutexattr_t()
    pthread_mutexattr_init(&attributes)
    pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_ERRORCHECK))
    pthread_mutex_init(mutex, &attributes)
    pthread_mutexattr_destroy(&attributes)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
    failure.deallocate()
    metaPagesAreForgotten.deallocate()
    checkedFreePages.deallocate()
  }

  /// False if this thread holds it already.
  func lock() -> Bool {
    pthread_mutex_lock(mutex) == 0
  }

  func unlock() {
    pthread_mutex_unlock(mutex)
  }
}
