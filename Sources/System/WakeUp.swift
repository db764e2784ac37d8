#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// An auto-reset event: one thread waits, and other threads wake it. A wake-up without a waiting thread stays for the
/// next wait.
///
/// Safe: the mutex and the condition are their own synchronisation, and `isPending` is read and set under the mutex.
package final class WakeUp: @unchecked Sendable {
  // Both need a stable address, so they live on the heap.
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>
  private var isPending = false

  package init() {
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
    condition = .allocate(capacity: 1)
    condition.initialize(to: pthread_cond_t())
    #if canImport(Darwin)
    pthread_cond_init(condition, nil)
    #else
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(condition, &attributes)
    pthread_condattr_destroy(&attributes)
    #endif
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// The clock of the deadlines: monotonic, in nanoseconds.
  package static func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// Blocks until a wake-up, which it consumes, or until the deadline. Without a deadline, for ever.
  package func wait(until deadline: UInt64?) {
    pthread_mutex_lock(mutex)
    defer {
      isPending = false
      pthread_mutex_unlock(mutex)
    }
    while !isPending {
      guard let deadline else {
        pthread_cond_wait(condition, mutex)
        continue
      }
      let now = Self.now()
      if now >= deadline { return }
      #if canImport(Darwin)
      var rest = timespec(deadline - now)
      pthread_cond_timedwait_relative_np(condition, mutex, &rest)
      #else
      var end = timespec(deadline)
      pthread_cond_timedwait(condition, mutex, &end)
      #endif
    }
  }

  package func wake() {
    pthread_mutex_lock(mutex)
    isPending = true
    pthread_cond_signal(condition)
    pthread_mutex_unlock(mutex)
  }
}

extension timespec {
  fileprivate init(_ nanoseconds: UInt64) {
    self.init(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
  }
}
