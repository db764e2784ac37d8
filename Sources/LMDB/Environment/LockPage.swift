import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The first page of `lock.mdb` in memory, where LMDB keeps its lock for writing. Reading it takes no system call.
///
/// The first look maps the page, so opening an environment costs no more. The map keeps the locks of the descriptor, so
/// ``release()`` must be called when they are released. After that there is no page.
final class LockPage: Sendable {
  /// Its address. 0 before the first look, 1 after the last.
  private let start = Atomic<UInt>(0)
  /// No system has smaller pages.
  private static let size = 4096

  deinit { release() }

  /// `nil` if the system cannot map the file.
  func bytes(of descriptor: Int32) -> UnsafeRawPointer? {
    let start = start.load(ordering: .acquiring)
    return start > 1 ? UnsafeRawPointer(bitPattern: start) : map(descriptor)
  }

  private func map(_ descriptor: Int32) -> UnsafeRawPointer? {
    guard start.load(ordering: .relaxed) == 0, descriptor >= 0,
      let made = mmap(nil, Self.size, PROT_READ, MAP_SHARED, descriptor, 0), made != MAP_FAILED
    else { return nil }
    let (isFirst, other) = start.compareExchange(
      expected: 0, desired: UInt(bitPattern: made), ordering: .acquiringAndReleasing)
    if isFirst { return UnsafeRawPointer(made) }
    munmap(made, Self.size)
    return other > 1 ? UnsafeRawPointer(bitPattern: other) : nil
  }

  func release() {
    let start = start.exchange(1, ordering: .acquiringAndReleasing)
    if start > 1 { munmap(UnsafeMutableRawPointer(bitPattern: start), Self.size) }
  }
}
