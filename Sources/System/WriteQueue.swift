#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// The system's queue of writes to some files: `inotify`, or `kqueue` on Apple's systems.
struct WriteQueue: Sendable {
  /// Readable while writes are in the queue.
  let descriptor: Int32

  func close() { _ = systemClose(descriptor) }

  #if canImport(Darwin)
  init?() {
    descriptor = kqueue()
    guard descriptor >= 0 else { return nil }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
  }

  /// Begins to watch a file, and returns the system's handle for it: here, a descriptor. `nil` if the system cannot
  /// report writes to the file.
  func add(_ path: String) -> Int32? {
    let file = open(path, O_EVTONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    var event = kevent(
      ident: UInt(bitPattern: Int(file)), filter: Int16(EVFILT_VNODE), flags: UInt16(EV_ADD | EV_CLEAR),
      fflags: UInt32(NOTE_WRITE | NOTE_EXTEND), data: 0, udata: nil)
    guard kevent(descriptor, &event, 1, nil, 0, nil) == 0 else {
      _ = systemClose(file)
      return nil
    }
    return file
  }

  func remove(_ file: Int32) { _ = systemClose(file) }

  /// Calls `body` with each file that was written. With `nil` if any may have been.
  func drain(_ body: (Int32?) -> Void) {
    var event = kevent()
    var now = timespec()
    while kevent(descriptor, nil, 0, &event, 1, &now) > 0 { body(Int32(truncatingIfNeeded: event.ident)) }
  }
  #else
  init?() {
    descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    guard descriptor >= 0 else { return nil }
  }

  /// Begins to watch a file, and returns the system's handle for it. `nil` if the system cannot report writes to the
  /// file.
  func add(_ path: String) -> Int32? {
    let file = inotify_add_watch(descriptor, path, UInt32(IN_MODIFY))
    return file >= 0 ? file : nil
  }

  func remove(_ file: Int32) { _ = inotify_rm_watch(descriptor, file) }

  /// Calls `body` with each file that was written. With `nil` if any may have been.
  func drain(_ body: (Int32?) -> Void) {
    // An event has its file, its kind, a cookie and the length of the following name.
    let header = 16
    withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 8) { buffer in
      while true {
        let count = read(descriptor, buffer.baseAddress, buffer.count)
        var offset = 0
        while offset + header <= count {
          let file = buffer.loadUnaligned(fromByteOffset: offset, as: Int32.self)
          let what = buffer.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
          body(what & UInt32(IN_Q_OVERFLOW) == 0 ? file : nil)
          offset += header + Int(buffer.loadUnaligned(fromByteOffset: offset + 12, as: UInt32.self))
        }
        // If the buffer was nearly full, the queue may have more events.
        if count < buffer.count / 2 { return }
      }
    }
  }
  #endif
}

/// The system's `close`, which a method of the same name hides.
private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }
