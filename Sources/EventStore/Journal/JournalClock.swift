#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Time and threads of one journal. Tests have one of their own, so that they wait for nothing.
package protocol JournalClock: AnyObject, Sendable {
  /// Nanoseconds that never step back.
  func now() -> UInt64
  /// Microseconds since 1970.
  func wallTime() -> UInt64
  /// Starts the journal's thread; false if the system has none to give.
  func start(_ body: @escaping @Sendable () -> Void) -> Bool
  /// Holds that thread until the deadline, for ever without one, or until ``signal()``, even if that came before.
  func wait(until deadline: UInt64?)
  func signal()
  /// Runs something beside the thread, once: a flush, which may take long while edits must still be written.
  func detach(_ body: @escaping @Sendable () -> Void)
}

// Safe: the mutex and the condition are their own synchronisation, and `isSignalled` is read and set under the mutex.
package final class SystemJournalClock: JournalClock, @unchecked Sendable {
  // Neither must move, so they live on the heap.
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>
  private var isSignalled = false

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

  package func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  package func wallTime() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return UInt64(max(0, time.tv_sec)) * 1_000_000 + UInt64(time.tv_nsec) / 1000
  }

  package func wait(until deadline: UInt64?) {
    pthread_mutex_lock(mutex)
    defer {
      isSignalled = false
      pthread_mutex_unlock(mutex)
    }
    while !isSignalled {
      guard let deadline else {
        pthread_cond_wait(condition, mutex)
        continue
      }
      let now = now()
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

  package func signal() {
    pthread_mutex_lock(mutex)
    isSignalled = true
    pthread_cond_signal(condition)
    pthread_mutex_unlock(mutex)
  }

  package func start(_ body: @escaping @Sendable () -> Void) -> Bool { Self.thread(body) }

  package func detach(_ body: @escaping @Sendable () -> Void) {
    if !Self.thread(body) { body() }
  }

  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  private static func thread(_ body: @escaping @Sendable () -> Void) -> Bool {
    let context = Unmanaged.passRetained(Body(body))
    #if canImport(Darwin)
    var thread: pthread_t?
    let code = pthread_create(&thread, nil, runBody, context.toOpaque())
    if code == 0, let thread { pthread_detach(thread) }
    #else
    var thread = pthread_t()
    let code = pthread_create(&thread, nil, runBody, context.toOpaque())
    if code == 0 { pthread_detach(thread) }
    #endif
    if code != 0 { context.release() }
    return code == 0
  }

  #if canImport(Darwin)
  private static let runBody: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? = { context in
    Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
    return nil
  }
  #else
  private static let runBody: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
    if let context { Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run() }
    return nil
  }
  #endif
}

extension timespec {
  fileprivate init(_ nanoseconds: UInt64) {
    self.init(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
  }
}
