import RepriseSystem
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// LMDB waits for its lock for writing without a limit. The first words of `lock.mdb` show whether a thread has it.
extension HeldLocks {
  /// A writer, and the last commit of any process.
  struct Sighting: Equatable {
    let thread: Int32
    let lastCommit: UInt

    static let none = Sighting(thread: 0, lastCommit: 0)
  }

  /// The thread, of any process, that has LMDB's lock for writing. `nil` if none has, or the system does not say. A
  /// thread that died with the lock does not count: the next one gets it at once.
  @inline(__always) var writer: Int32? {
    #if os(Linux) || os(Android)
    guard let page = page.bytes(of: descriptor) else { return nil }
    let word = (page + Self.place).assumingMemoryBound(to: Atomic<UInt32>.self).pointee.load(ordering: .relaxed)
    return word & Self.ownerDied == 0 && word & Self.threadBits != 0 ? Int32(word & Self.threadBits) : nil
    #else
    return nil
    #endif
  }

  /// The same, with the last commit.
  var sighting: Sighting? {
    #if os(Linux) || os(Android)
    guard let thread = writer, let page = page.bytes(of: descriptor) else { return nil }
    let last = (page + Self.lastCommit).assumingMemoryBound(to: Atomic<UInt>.self).pointee.load(ordering: .relaxed)
    return Sighting(thread: thread, lastCommit: last)
    #else
    return nil
    #endif
  }

  /// The process of a thread, if the system reports it and a process with that ID has the environment open. In another
  /// container, the thread may have another ID, which can belong to an unrelated thread here.
  func process(of thread: Int32) -> Int32? {
    guard let process = ThreadFacts.process(ofThread: thread) else { return nil }
    return process == getpid() || ByteLock.isTaken(off_t(process), of: descriptor) ? process : nil
  }

  #if os(Linux) || os(Android)
  /// As the kernel keeps them in the word of a robust mutex.
  private static let ownerDied: UInt32 = 0x4000_0000
  private static let threadBits: UInt32 = 0x3FFF_FFFF

  /// The lock file of LMDB 0.9 begins with two words, the mutex of readers, the last commit and the number of readers,
  /// in whole cache lines. Then comes the mutex of writers.
  private static var lastCommit: Int { 8 + MemoryLayout<pthread_mutex_t>.size }
  private static var place: Int {
    let lines = (lastCommit + 16 + 63) / 64
    #if canImport(Musl)
    return 64 * lines + 4
    #else
    return 64 * lines
    #endif
  }
  #endif
}
