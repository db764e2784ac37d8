internal import Synchronization

#if canImport(Glibc)
package import Glibc
#elseif canImport(Musl)
package import Musl
#else
package import Darwin
#endif

/// An advisory lock on one or several bytes of a file. The bytes may lie far beyond the end of the file, because a lock
/// writes nothing. The system releases the lock when the process ends for any reason.
///
/// The lock belongs to the open file description, not to the process. So it stays if the process closes another
/// descriptor of the file. Locks of one description do not block each other.
package enum ByteLock {
  // A structure, because an enumeration has conformances that each start would pay for.
  package struct Kind: Sendable {
    fileprivate let type: Int16
    package static var shared: Kind { Kind(type: Int16(F_RDLCK)) }
    package static var exclusive: Kind { Kind(type: Int16(F_WRLCK)) }
  }

  #if canImport(Darwin)
  private static let setLock: Int32 = 90
  private static let getLock: Int32 = 92
  #else
  private static let setLock: Int32 = 37
  private static let getLock: Int32 = 36
  #endif

  /// Takes the lock, without waiting. Returns false if another description has it.
  package static func take(_ kind: Kind, _ place: off_t, of descriptor: Int32) throws(SystemFailure) -> Bool {
    try take(kind, place..<place + 1, of: descriptor)
  }

  /// Takes the lock, and waits for it while another description has it. Returns false if the time is over first.
  package static func take(
    _ kind: Kind, _ place: off_t, of descriptor: Int32, withinMilliseconds limit: Int
  ) throws(SystemFailure) -> Bool {
    for _ in 0..<limit {
      if try take(kind, place, of: descriptor) { return true }
      usleep(1000)
    }
    return try take(kind, place, of: descriptor)
  }

  /// Takes the locks of several bytes, without waiting. Returns false if another description has one of them.
  // The optimiser would copy the body to each caller.
  @inline(never)
  package static func take(_ kind: Kind, _ places: Range<off_t>, of descriptor: Int32) throws(SystemFailure) -> Bool {
    var lock = lock(kind.type, places.lowerBound, places.upperBound - places.lowerBound)
    if fcntl(descriptor, setLock, &lock) == 0 { return true }
    let failure = SystemFailure.last
    if failure.errno == EAGAIN || failure.errno == EACCES { return false }
    throw failure
  }

  /// The first of several bytes that another description has locked, shared or exclusively. `nil` if there is none.
  package static func firstTaken(of places: Range<off_t>, of descriptor: Int32) throws(SystemFailure) -> off_t? {
    var found: off_t?
    var end = places.upperBound
    // The system reports an arbitrary one of the locks.
    while places.lowerBound < end {
      var lock = lock(F_WRLCK, places.lowerBound, end - places.lowerBound)
      guard fcntl(descriptor, getLock, &lock) == 0 else { throw .last }
      if lock.l_type == Int16(F_UNLCK) { break }
      end = max(lock.l_start, places.lowerBound)
      found = end
    }
    return found
  }

  package static func release(_ place: off_t, of descriptor: Int32) { release(place..<place + 1, of: descriptor) }

  package static func release(_ places: Range<off_t>, of descriptor: Int32) {
    var lock = lock(F_UNLCK, places.lowerBound, places.upperBound - places.lowerBound)
    _ = fcntl(descriptor, setLock, &lock)
  }

  /// Releases all locks of a descriptor and closes it. Closing alone would leave them to a forked child that lives. In
  /// a forked child, the locks belong to the parent, and the call keeps them.
  ///
  /// - Parameter generation: The generation of ``ForkGuard`` when the descriptor was opened.
  package static func close(_ descriptor: Int32, openedIn generation: Int) {
    if ForkGuard.generation.load(ordering: .relaxed) == generation {
      // A length of 0 means all bytes to the end of the file, and beyond.
      var lock = lock(F_UNLCK, 0, 0)
      _ = fcntl(descriptor, setLock, &lock)
    }
    systemClose(descriptor)
  }

  /// Whether another description has the lock, shared or exclusively.
  package static func isTaken(_ place: off_t, of descriptor: Int32) -> Bool {
    var lock = lock(F_WRLCK, place)
    return fcntl(descriptor, getLock, &lock) == 0 && lock.l_type != Int16(F_UNLCK)
  }

  /// The lock of another description on a byte, with all its bytes. `nil` if there is none.
  package static func lock(on place: off_t, of descriptor: Int32) -> Range<off_t>? {
    firstLock(on: place..<place + 1, of: descriptor)
  }

  /// The locks of other descriptions on several bytes, each with all its bytes, in order. Costs two system calls for
  /// each lock.
  package static func locks(on places: Range<off_t>, of descriptor: Int32) -> [Range<off_t>] {
    var found: [Range<off_t>] = []
    var rest = [places]
    while let places = rest.popLast() {
      guard !places.isEmpty, let lock = firstLock(on: places, of: descriptor) else { continue }
      found.append(lock)
      // The system reports an arbitrary one of the locks.
      if lock.lowerBound > places.lowerBound { rest.append(places.lowerBound..<lock.lowerBound) }
      if lock.upperBound < places.upperBound { rest.append(lock.upperBound..<places.upperBound) }
    }
    return found.sorted { $0.lowerBound < $1.lowerBound }
  }

  private static func firstLock(on places: Range<off_t>, of descriptor: Int32) -> Range<off_t>? {
    var lock = lock(F_WRLCK, places.lowerBound, places.upperBound - places.lowerBound)
    guard fcntl(descriptor, getLock, &lock) == 0, lock.l_type != Int16(F_UNLCK) else { return nil }
    // A length of 0 means all bytes to the end of the file, and beyond.
    return lock.l_start..<(lock.l_len == 0 ? .max : lock.l_start + lock.l_len)
  }

  /// The process that has a byte exclusively by a process lock, as LMDB takes them. If the system does not report it, a
  /// number that is not positive. `nil` if no process has it.
  package static func exclusiveHolder(_ place: off_t, of descriptor: Int32) -> Int32? {
    var lock = lock(F_RDLCK, place)
    guard fcntl(descriptor, F_GETLK, &lock) == 0, lock.l_type == Int16(F_WRLCK) else { return nil }
    return lock.l_pid
  }

  /// Whether the process itself has a byte exclusively, as `lockf` and LMDB lock it. A system without locks of
  /// descriptors cannot report that.
  package static func isTakenByProcess(_ place: off_t, of descriptor: Int32) -> Bool {
    var lock = lock(F_WRLCK, place)
    return fcntl(descriptor, getLock, &lock) == 0 && lock.l_type == Int16(F_WRLCK) && lock.l_pid == getpid()
  }

  /// Releases all process locks on a byte, of any descriptor. `lockf` and LMDB take such locks.
  package static func releaseOfProcess(_ place: off_t, of descriptor: Int32) {
    var lock = lock(F_UNLCK, place)
    _ = fcntl(descriptor, F_SETLK, &lock)
  }

  private static func lock(_ type: some BinaryInteger, _ place: off_t, _ count: off_t = 1) -> flock {
    var lock = flock()
    lock.l_type = Int16(type)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = place
    lock.l_len = count
    return lock
  }
}

private func systemClose(_ descriptor: Int32) { _ = close(descriptor) }
