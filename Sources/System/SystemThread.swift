#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// Threads that may block. Swift's pool has only one thread for each core, so code must not block a thread of the pool.
package enum SystemThread {
  /// Runs `body` on a new thread. False if the system cannot start one.
  package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    let context = Unmanaged.passRetained(Body(body))
    // Detached from the start, because glibc's `pthread_detach` may read the memory of a thread that ends meanwhile.
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    #if canImport(Darwin)
    var thread: pthread_t?
    #else
    var thread = pthread_t()
    #endif
    let code = pthread_create(&thread, &attributes, runBody, context.toOpaque())
    if code != 0 { context.release() }
    return code == 0
  }

  /// Runs `body`, which may block on a disk or a lock, on a new thread; on the caller's if the system cannot start one.
  package static func run<Success: Sendable, Failure: Error>(
    _ body: @escaping @Sendable () throws(Failure) -> Success
  ) async throws(Failure) -> Success {
    let result = await withCheckedContinuation { continuation in
      let isStarted = start { continuation.resume(returning: Result(catching: body)) }
      if !isStarted { continuation.resume(returning: Result(catching: body)) }
    }
    return try result.get()
  }

  /// Identifies the calling thread among the running threads.
  package static var current: UInt {
    #if canImport(Darwin)
    UInt(bitPattern: pthread_self())
    #else
    UInt(pthread_self())
    #endif
  }

  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
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
