#if os(Linux)
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The system's notifications about folders.
struct Inotify {
  /// An event of a name in a watched folder.
  struct Event: Hashable {
    let watch: Int32
    /// Empty for the folder itself.
    let name: PathBytes
  }

  /// The events of one read.
  struct Events {
    var events: [Event] = []
    /// Whether some events were lost.
    var hasOverflowed = false
  }

  let descriptor: Int32

  init() throws(SystemError) {
    descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    if descriptor < 0 { throw SystemError("watching", errno) }
  }

  /// Watches a folder and its entries.
  func watch(_ path: [UInt8]) throws(SystemError) -> Int32 {
    let inside = IN_CREATE | IN_DELETE | IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB | IN_MOVED_FROM | IN_MOVED_TO
    return try add(path, UInt32(inside) | Self.itself)
  }

  /// Watches for the deletion or the move of a folder itself.
  func watchItself(_ path: [UInt8]) throws(SystemError) -> Int32 { try add(path, Self.itself) }

  private static let itself = UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF) | UInt32(IN_ONLYDIR)

  private func add(_ path: [UInt8], _ mask: UInt32) throws(SystemError) -> Int32 {
    let watch = inotify_add_watch(descriptor, path.map { CChar(bitPattern: $0) } + [0], mask)
    if watch < 0 { throw SystemError("watching", errno) }
    return watch
  }

  func remove(_ watch: Int32) { _ = inotify_rm_watch(descriptor, watch) }

  /// All events so far. Returns at once.
  func takeEvents() -> Events {
    var found = Events()
    withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 8) { buffer in
      while true {
        let count = read(descriptor, buffer.baseAddress, buffer.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return }
        Self.parse(UnsafeRawBufferPointer(rebasing: buffer[..<count]), &found)
      }
    }
    return found
  }

  private static func parse(_ bytes: UnsafeRawBufferPointer, _ found: inout Events) {
    let header = MemoryLayout<inotify_event>.size
    var at = 0
    while at + header <= bytes.count {
      let event = bytes.loadUnaligned(fromByteOffset: at, as: inotify_event.self)
      let name = bytes[(at + header)..<min(bytes.count, at + header + Int(event.len))].prefix { $0 != 0 }
      at += header + Int(event.len)
      if event.mask & UInt32(IN_Q_OVERFLOW) != 0 {
        found.hasOverflowed = true
      } else if event.mask & UInt32(IN_IGNORED) == 0 {
        found.events.append(Event(watch: event.wd, name: PathBytes(Array(name))))
      }
    }
  }

  func end() { close(descriptor) }
}
#endif
