#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// An advisory lock on one byte of a file, which may lie far beyond its end. It writes nothing, and the system releases
/// it when the process ends, however it ends.
///
/// It belongs to the open file description, not to the process, so closing another descriptor of the file keeps it.
/// What one description has does not stand in its own way.
enum ByteLock {
  enum Kind {
    case shared
    case exclusive
  }

  #if canImport(Darwin)
  private static let setLock: Int32 = 90
  private static let getLock: Int32 = 92
  #else
  private static let setLock: Int32 = 37
  private static let getLock: Int32 = 36
  #endif

  /// Takes the lock; false if another has it. Never waits.
  static func take(_ kind: Kind, _ place: off_t, of descriptor: Int32) throws(SystemFailure) -> Bool {
    var lock = lock(kind == .shared ? F_RDLCK : F_WRLCK, place)
    if fcntl(descriptor, setLock, &lock) == 0 { return true }
    let failure = SystemFailure.last
    if failure.errno == EAGAIN || failure.errno == EACCES { return false }
    throw failure
  }

  static func release(_ place: off_t, of descriptor: Int32) {
    var lock = lock(F_UNLCK, place)
    _ = fcntl(descriptor, setLock, &lock)
  }

  /// Whether another has it, of either kind.
  static func isTaken(_ place: off_t, of descriptor: Int32) -> Bool {
    var lock = lock(F_WRLCK, place)
    return fcntl(descriptor, getLock, &lock) == 0 && lock.l_type != Int16(F_UNLCK)
  }

  private static func lock(_ type: some BinaryInteger, _ place: off_t) -> flock {
    var lock = flock()
    lock.l_type = Int16(type)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = place
    lock.l_len = 1
    return lock
  }
}
