#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The bytes of a journal file as they were found: a map of it where the system has said beforehand that all of them
/// can be read, else a copy.
// Safe: what is mapped is never written through the map, and is unmapped once, with the last reference. The file behind
// it is locked, is only added to, and is cut nowhere but behind its last whole frame, which nobody reads once the
// frames were found.
package final class JournalBytes: @unchecked Sendable {
  private let copy: [UInt8]
  private let map: UnsafeRawBufferPointer?

  init(_ bytes: [UInt8]) {
    copy = bytes
    map = nil
  }

  /// `nil` where it cannot be mapped and read to its end.
  init?(mapping descriptor: Int32, count: Int) {
    #if os(Linux)
    // MADV_POPULATE_READ: reads all of it now, and fails where a later access would kill the process.
    let populate: Int32 = 22
    guard count > 0, let start = mmap(nil, count, PROT_READ, MAP_PRIVATE, descriptor, 0), start != MAP_FAILED else {
      return nil
    }
    guard madvise(start, count, populate) == 0 else {
      munmap(start, count)
      return nil
    }
    copy = []
    map = UnsafeRawBufferPointer(start: start, count: count)
    #else
    return nil
    #endif
  }

  deinit {
    if let map { munmap(UnsafeMutableRawPointer(mutating: map.baseAddress), map.count) }
  }

  var count: Int { map?.count ?? copy.count }

  /// Lends the bytes.
  func lend<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard let map else { return try copy.lend(body) }
    // Whoever calls this holds it, and so does this, until the body is done.
    defer { withExtendedLifetime(self) {} }
    return try body(map)
  }

  /// Some of them, copied where they are mapped; where the slice begins to count means nothing.
  subscript(range: Range<Int>) -> ArraySlice<UInt8> {
    if map == nil { return copy[range] }
    return lend { ArraySlice($0[range]) }
  }
}
