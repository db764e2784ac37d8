#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// Tells that something may have written to a file, in any process, for as long as it lives. It costs a thread that
/// waits, and those who write nothing.
///
/// Where the system does not tell, it looks once a second.
package final class FileWatch: Sendable {
  /// The end of a pipe whose other end the thread waits at.
  private let stop: Int32

  /// Calls `look` on a thread of its own after each write that the system tells of, several at once where it is behind.
  /// `look` says whether it found what a write was to bring: a write can be told before its last effect is seen, so it
  /// is called a few more times if it did not.
  package init?(_ path: String, _ look: @escaping @Sendable () -> Bool) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let (stopping, source) = (ends[0], Self.source(path))
    guard SystemThread.start({ Self.wait(source, stopping, look) }) else {
      for descriptor in ends + (source.map { [$0] } ?? []) { close(descriptor) }
      return nil
    }
    stop = ends[1]
  }

  deinit {
    // A child that was forked has this end as well, so closing it is no sign.
    var byte: UInt8 = 0
    _ = write(stop, &byte, 1)
    close(stop)
  }

  /// In milliseconds.
  private static let (pauses, fallback): ([Int32], Int32) = ([1, 4, 16, 64], 1_000)

  private static func wait(_ source: Int32?, _ stopping: Int32, _ look: @Sendable () -> Bool) {
    var attempts = pauses.count
    var descriptors = [pollfd(fd: stopping, events: Int16(POLLIN), revents: 0)]
    if let source { descriptors.append(pollfd(fd: source, events: Int16(POLLIN), revents: 0)) }
    while true {
      let pause = attempts < pauses.count ? pauses[attempts] : source == nil ? fallback : -1
      let count = poll(&descriptors, .init(descriptors.count), pause)
      if count < 0, errno != EINTR { break }
      if count > 0, descriptors[0].revents != 0 { break }
      if count > 0, let source {
        drain(source)
        attempts = 0
      } else {
        attempts += 1
      }
      if look() { attempts = pauses.count }
    }
    if let source { close(source) }
    close(stopping)
  }

  #if canImport(Darwin)
  /// A queue of the kernel's that watches the file. It holds the file open until it is closed itself.
  private static func source(_ path: String) -> Int32? {
    let queue = kqueue()
    guard queue >= 0 else { return nil }
    _ = fcntl(queue, F_SETFD, FD_CLOEXEC)
    let file = open(path, O_EVTONLY | O_CLOEXEC)
    var event = kevent(
      ident: UInt(bitPattern: Int(file)), filter: Int16(EVFILT_VNODE), flags: UInt16(EV_ADD | EV_CLEAR),
      fflags: UInt32(NOTE_WRITE | NOTE_EXTEND), data: 0, udata: nil)
    guard file >= 0, kevent(queue, &event, 1, nil, 0, nil) == 0 else {
      if file >= 0 { close(file) }
      close(queue)
      return nil
    }
    return queue
  }

  private static func drain(_ queue: Int32) {
    var event = kevent()
    var now = timespec()
    while kevent(queue, nil, 0, &event, 1, &now) > 0 {}
  }
  #else
  private static func source(_ path: String) -> Int32? {
    let source = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    guard source >= 0 else { return nil }
    guard inotify_add_watch(source, path, UInt32(IN_MODIFY)) >= 0 else {
      close(source)
      return nil
    }
    return source
  }

  private static func drain(_ source: Int32) {
    withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 8) { buffer in
      while read(source, buffer.baseAddress, buffer.count) > 0 {}
    }
  }
  #endif
}
