#if canImport(Glibc)
public import Glibc
#elseif canImport(Musl)
public import Musl
#else
public import Darwin
#endif

/// A value behind a lock, as fast as `Mutex`. On Linux, Thread Sanitizer does not see that a `Mutex` synchronises
/// threads, and reports races that do not exist. It does see this lock.
///
/// This is a struct, because the runtime instantiates the metadata of a generic class at each start of a process. It is
/// public, although no product exports this module. If it were `package`, the compiler would not specialise its
/// deinitialiser and most of its calls for other modules. Each of them would instantiate metadata.
// Safe: both pointers never change, nobody else has them, and they are freed once, as this cannot be copied. The value
// is reached only with the lock held, and only values that are Sendable go in and out.
@frozen public struct Guarded<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
  // Both need a stable address, so they live on the heap.
  @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
  @usableFromInline let value: UnsafeMutablePointer<Value>

  /// Puts a value behind a new lock.
  // Always inlined, or the value's metadata is instantiated only to learn its size.
  @inlinable @inline(__always) public init(_ value: consuming sending Value) {
    self.value = .allocate(capacity: 1)
    self.value.initialize(to: value)
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
  }

  @inlinable deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
    value.deinitialize(count: 1)
    value.deallocate()
  }

  /// Waits for the lock, and holds it while `body` uses the value.
  ///
  /// The lock is not reentrant: a call from within `body` waits forever.
  @inlinable public func withLock<R: Sendable, E: Error>(_ body: (inout Value) throws(E) -> R) throws(E) -> R {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value.pointee)
  }

  /// As ``withLock(_:)``, but returns `nil` at once if another thread holds the lock.
  @inlinable public func withLockIfAvailable<R: Sendable, E: Error>(
    _ body: (inout Value) throws(E) -> R
  ) throws(E) -> R? {
    guard pthread_mutex_trylock(mutex) == 0 else { return nil }
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value.pointee)
  }
}
