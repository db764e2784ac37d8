#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension HeldLocks {
  /// The thread, of any process, that has LMDB's lock for writing; `nil` if none has, or the system does not say. A
  /// thread that died with the lock does not count: the next one gets it at once.
  ///
  /// LMDB waits for the lock without end. Its first words in `lock.mdb` say whether that wait would be one.
  var writer: Int32? {
    #if os(Linux) || os(Android)
    var word: UInt32 = 0
    guard descriptor >= 0, pread(descriptor, &word, 4, Self.place) == 4, word & Self.ownerDied == 0 else { return nil }
    let thread = Int32(word & Self.threadBits)
    return thread == 0 ? nil : thread
    #else
    return nil
    #endif
  }

  #if os(Linux) || os(Android)
  /// As the kernel keeps them in the word of a robust mutex.
  private static let ownerDied: UInt32 = 0x4000_0000
  private static let threadBits: UInt32 = 0x3FFF_FFFF

  /// The lock file of LMDB 0.9 begins with two words, the mutex of readers, the last commit and the number of readers,
  /// in whole cache lines. The mutex of writers follows.
  private static var place: off_t {
    let lines = (8 + MemoryLayout<pthread_mutex_t>.size + 16 + 63) / 64
    #if canImport(Musl)
    return off_t(64 * lines + 4)
    #else
    return off_t(64 * lines)
    #endif
  }
  #endif
}
