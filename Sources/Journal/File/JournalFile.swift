import RepriseSystem

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// An open journal file. Tests wrap it to delay, fail or lose writes.
package protocol JournalFile: AnyObject, Sendable {
  /// Writes all bytes, or throws after writing some of them.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(SystemFailure)
  /// Returns when all completed writes survive a power cut. May run concurrently with `write`.
  func synchronize() throws(SystemFailure)
  func truncate(to length: Int) throws(SystemFailure)
  func read(_ range: Range<Int>) throws(SystemFailure) -> [UInt8]
  /// The first `count` bytes, or as many as exist; mapped where possible.
  func contents(_ count: Int) throws(SystemFailure) -> JournalBytes
  /// Whether the file has no name any more, so that it vanishes with the process.
  var isDeleted: Bool { get }
  /// Releases the lock and the file.
  func close()
}

extension JournalFile {
  package func contents(_ count: Int) throws(SystemFailure) -> JournalBytes { JournalBytes(try read(0..<count)) }

  package func writeAll(_ bytes: [UInt8], at offset: Int) throws(SystemFailure) {
    var failure: SystemFailure?
    bytes.withUnsafeBytes { all in
      do throws(SystemFailure) { try write(all, at: offset) } catch { failure = error }
    }
    if let failure { throw failure }
  }
}

package final class PlainJournalFile: JournalFile {
  private let descriptor: Int32
  private let forkGeneration = ForkGuard.current()

  package init(descriptor: Int32) { self.descriptor = descriptor }

  deinit { _ = systemClose(descriptor) }

  package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(SystemFailure) {
    var done = 0
    while done < bytes.count {
      let count = pwrite(descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done, off_t(offset + done))
      if count < 0 {
        let failure = SystemFailure.last
        if failure.errno == EINTR { continue }
        throw failure
      }
      done += count
    }
  }

  package func synchronize() throws(SystemFailure) {
    #if canImport(Darwin)
    let code = fcntl(descriptor, F_FULLFSYNC)
    #else
    let code = fdatasync(descriptor)
    #endif
    if code == -1 { throw .last }
  }

  package func truncate(to length: Int) throws(SystemFailure) {
    if ftruncate(descriptor, off_t(length)) != 0 { throw .last }
  }

  package func read(_ range: Range<Int>) throws(SystemFailure) -> [UInt8] {
    // All empty arrays share one storage, and Thread Sanitizer reports writing its count, even 0, as a race.
    if range.isEmpty { return [] }
    var failure: SystemFailure?
    let bytes = [UInt8](unsafeUninitializedCapacity: range.count) { buffer, count in
      while count < range.count {
        let got = pread(
          descriptor, buffer.baseAddress.map { $0 + count }, range.count - count, off_t(range.lowerBound + count))
        if got == 0 { return }
        if got < 0 {
          let last = SystemFailure.last
          if last.errno == EINTR { continue }
          failure = last
          return
        }
        count += got
      }
    }
    if let failure { throw failure }
    return bytes
  }

  package func contents(_ count: Int) throws(SystemFailure) -> JournalBytes {
    if let map = JournalBytes(mapping: descriptor, count: count) { return map }
    return JournalBytes(try read(0..<count))
  }

  package var isDeleted: Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.st_nlink == 0
  }

  /// The descriptor is closed with the last reference, which a flush under way may still hold. A forked child shares
  /// the lock with its parent, which owns it.
  package func close() {
    if ForkGuard.generation.load(ordering: .relaxed) == forkGeneration { flock(descriptor, LOCK_UN) }
  }
}

private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }
