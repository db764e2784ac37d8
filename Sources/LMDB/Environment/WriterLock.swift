import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Admits one writer per process, before LMDB's own lock between processes. It tracks its thread, so that a write
/// inside a write is an error and not a deadlock.
///
/// Safe: the pointers never change. The mutex synchronises itself, and only its holder uses the other pointees.
final class WriterLock: @unchecked Sendable {
  // A pthread mutex must not move, so it lives on the heap.
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  /// Used only by the thread that holds the lock.
  let failure: UnsafeMutablePointer<Int32>
  /// Whether the meta pages on the disk may differ from the readable ones. Used only by the thread that holds the lock.
  let metaPagesAreForgotten: UnsafeMutablePointer<Bool>
  /// The last commit whose list of free pages was looked at. Used only by the thread that holds the lock.
  let checkedFreePages: UnsafeMutablePointer<UInt>
  /// The changes of the transaction. Used only by the thread that holds the lock.
  let recorder: UnsafeMutablePointer<ChangeRecorder>
  /// The interrupted commit that the opening found and could not repeat, because another process had the lock for
  /// writing. 0 if there is none. Used only by the thread that holds the lock.
  let interruptedCommit: UnsafeMutablePointer<Int>
  /// Whether the thread that holds the lock waits for another process.
  let isAwaitingOthers = Atomic<Bool>(false)

  init() {
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    failure = .allocate(capacity: 1)
    failure.initialize(to: 0)
    metaPagesAreForgotten = .allocate(capacity: 1)
    metaPagesAreForgotten.initialize(to: false)
    checkedFreePages = .allocate(capacity: 1)
    checkedFreePages.initialize(to: 0)
    recorder = .allocate(capacity: 1)
    recorder.initialize(to: ChangeRecorder())
    interruptedCommit = .allocate(capacity: 1)
    interruptedCommit.initialize(to: 0)
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
    recorder.pointee.deallocate()
    recorder.deallocate()
    interruptedCommit.deallocate()
  }

  /// False if a thread holds it already.
  func tryLock() -> Bool {
    pthread_mutex_trylock(mutex) == 0
  }

  enum Outcome {
    case locked
    case timedOut
    /// This thread holds it already.
    case isOwn
  }

  /// Waits for some microseconds, or where the system has no limited wait, until it is free.
  func lock(within microseconds: Int) -> Outcome {
    #if canImport(Darwin)
    return pthread_mutex_lock(mutex) == 0 ? .locked : .isOwn
    #else
    var end = timespec()
    clock_gettime(CLOCK_REALTIME, &end)
    end.tv_nsec += 1000 * (microseconds % 1_000_000)
    end.tv_sec += microseconds / 1_000_000 + end.tv_nsec / 1_000_000_000
    end.tv_nsec %= 1_000_000_000
    switch pthread_mutex_timedlock(mutex, &end) {
    case 0: return .locked
    case EDEADLK: return .isOwn
    default: return .timedOut
    }
    #endif
  }

  func unlock() {
    pthread_mutex_unlock(mutex)
  }
}
