#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// A thread that may wait for a disk: one of Swift's own pool would be missed there.
package enum SystemThread {
  /// Runs something on a thread of its own; false if the system has none to give.
  package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
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

  /// Runs something that may wait for a disk or a lock, on a thread of its own; on the caller's only if the system has
  /// none to give.
  package static func run<Success: Sendable>(_ body: @escaping @Sendable () -> Success) async -> Success {
    await withCheckedContinuation { continuation in
      let isStarted = start { continuation.resume(returning: body()) }
      if !isStarted { continuation.resume(returning: body()) }
    }
  }

  /// Tells the calling thread from others that run.
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
