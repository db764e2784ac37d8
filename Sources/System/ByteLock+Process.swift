#if canImport(Glibc)
package import Glibc
#elseif canImport(Musl)
package import Musl
#else
package import Darwin
#endif

extension ByteLock {
  /// The bytes that this process locks from a first byte on. Their number is the ID of the process, so that a program
  /// can name it. No system has a process with a higher ID than 2²² at present.
  package static func places(from first: off_t) -> Range<off_t> {
    let process = off_t(OwnProcess.id)
    return first..<first + (process > 0 && process < longest ? process : longest)
  }

  /// The most bytes of such a lock.
  package static var longest: off_t { 1 << 22 }

  /// The process that has such a lock. `nil` if the number of bytes cannot tell.
  package static func process(_ lock: Range<off_t>) -> Int32? {
    let count = lock.upperBound - lock.lowerBound
    return count < longest ? Int32(count) : nil
  }
}
