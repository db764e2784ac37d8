#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The bytes of a journal file: mapped if the system has confirmed beforehand that all of them can be read, otherwise
/// copied.
///
/// Safe: the map is read-only, and unmapped once, with the last reference. The file is locked, and is only appended to.
/// It is truncated only after its last whole frame, where nothing is read once the frames were found.
package final class JournalBytes: @unchecked Sendable {
  private let copy: [UInt8]
  private let map: UnsafeRawBufferPointer?

  init(_ bytes: [UInt8]) {
    copy = bytes
    map = nil
  }

  /// `nil` if the file cannot be mapped and read to its end.
  init?(mapping descriptor: Int32, count: Int) {
    #if os(Linux)
    // MADV_POPULATE_READ reads all pages now, and fails where a later access would kill the process.
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

  func lend<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard let map else { return try copy.lend(body) }
    // The map must live until the body returns.
    defer { withExtendedLifetime(self) {} }
    return try body(map)
  }

  /// A range of the bytes, copied if they are mapped. The indices of the slice are unspecified.
  subscript(range: Range<Int>) -> ArraySlice<UInt8> {
    if map == nil { return copy[range] }
    return lend { ArraySlice($0[range]) }
  }
}
