import RepriseLog
import RepriseObjectModel
import RepriseSystem

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The folder `journals` of a store: lists, locks, creates and removes journal files.
package struct JournalFolder: Sendable {
  package let path: String
  /// Whether this process neither locks nor removes any of the files.
  let isOnlyRead: Bool

  package init(path: String, isOnlyRead: Bool = false) {
    self.path = path
    self.isOnlyRead = isOnlyRead
  }

  #if canImport(Darwin)
  typealias Directory = UnsafeMutablePointer<DIR>
  #else
  typealias Directory = OpaquePointer
  #endif

  enum Found {
    /// Another living process holds it. If files are only read, its process may be dead.
    case live(UniqueID)
    /// Its process has died; this process has locked it.
    case dead(UniqueID, descriptor: Int32, length: Int)
    /// Another user may have written it. The bytes show only which drafts and scenes it is about. `nil` if the file is
    /// too large to look.
    case refused(UniqueID, bytes: [UInt8]?)
    /// It cannot be read.
    case problem(JournalProblem)
    /// Its process has removed or renamed it meanwhile. A case instead of an optional, whose metadata each opening
    /// would instantiate.
    case gone
  }

  package static func name(_ journal: UniqueID) -> String { journal.description + JournalFormat.suffix.description }

  package func path(_ name: String) -> String { path + "/" + name }

  /// Identifies the folder's state: changes whenever a file is created, renamed or removed.
  struct Stamp: Equatable {
    private let inode: UInt64
    private let seconds: Int
    private let nanoseconds: Int

    fileprivate init(_ status: stat) {
      inode = UInt64(status.st_ino)
      let time = JournalFolder.changeTime(of: status)
      seconds = Int(time.tv_sec)
      nanoseconds = Int(time.tv_nsec)
    }

    /// Whether any later change will produce a different stamp. One within the same clock tick may not.
    fileprivate var isPast: Bool {
      var now = timespec()
      clock_gettime(CLOCK_REALTIME, &now)
      return Int(now.tv_sec) > seconds + 2
    }
  }

  static func changeTime(of status: stat) -> timespec {
    #if canImport(Darwin)
    status.st_mtimespec
    #else
    status.st_mtim
    #endif
  }

  /// `nil` if the folder does not exist.
  var stamp: Stamp? {
    var status = stat()
    return stat(path, &status) == 0 ? Stamp(status) : nil
  }

  /// Reports every journal except the known ones, and locks the journals of dead processes. Reports none if the folder
  /// does not exist.
  ///
  /// - Parameters:
  ///   - stamp: Set to the value that ``stamp`` keeps until a file is created, renamed or removed; `nil` if a change
  ///     could go unnoticed.
  ///   - body: Called with each journal.
  func look(
    knowing known: [UniqueID], _ stamp: inout Stamp?, _ body: (Found) -> Void
  ) throws(JournalError) {
    stamp = nil
    guard let folder = try open() else { return }
    defer { closedir(folder) }
    var status = stat()
    if fstat(dirfd(folder), &status) == 0 {
      let found = Stamp(status)
      stamp = found.isPast ? found : nil
    }
    for journal in journals(in: folder, removingUnfinished: !isOnlyRead) where !known.contains(journal) {
      do throws(SystemFailure) {
        body(try take(journal, in: dirfd(folder)))
      } catch {
        throw .cannotRead(path: path(Self.name(journal)), errno: error.errno)
      }
    }
  }

  /// All journals in the folder, of living and dead processes.
  package func journals() throws(JournalError) -> [UniqueID] {
    guard let folder = try open() else { return [] }
    defer { closedir(folder) }
    return journals(in: folder, removingUnfinished: false)
  }

  /// The names of all files that have journalled edits, or may have some.
  package var leftovers: [String] {
    guard let folder = try? open() else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    Self.forEachName(in: folder) { name in
      let suffixes = [JournalFormat.suffix, JournalFormat.damagedSuffix, JournalFormat.unfinishedSuffix]
      if suffixes.contains(where: name.hasSuffix) { names.append(String(decoding: name, as: UTF8.self)) }
    }
    return names.sorted()
  }

  static func forEachName(in folder: Directory, _ body: (UnsafeBufferPointer<UInt8>) -> Void) {
    while let entry = readdir(folder) {
      let capacity = MemoryLayout.size(ofValue: entry.pointee.d_name)
      withUnsafePointer(to: &entry.pointee.d_name) { tuple in
        tuple.withMemoryRebound(to: UInt8.self, capacity: capacity) { start in
          body(UnsafeBufferPointer(start: start, count: strnlen(start, capacity)))
        }
      }
    }
  }

  func open() throws(JournalError) -> Directory? {
    let descriptor = systemOpen(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
    if descriptor >= 0, let folder = fdopendir(descriptor) { return folder }
    let failure = SystemFailure.last
    if descriptor >= 0 { close(descriptor) }
    if failure.errno == ENOENT { return nil }
    throw .cannotList(path: path, errno: failure.errno)
  }

  private func journals(in folder: Directory, removingUnfinished: Bool) -> [UniqueID] {
    var journals: [UniqueID] = []
    Self.forEachName(in: folder) { name in
      if name.hasSuffix(JournalFormat.suffix) {
        let text = UnsafeBufferPointer(rebasing: name.dropLast(JournalFormat.suffix.utf8CodeUnitCount))
        if let journal = UniqueID(utf8: UnsafeRawBufferPointer(text)) { journals.append(journal) }
      } else if removingUnfinished, name.hasSuffix(JournalFormat.unfinishedSuffix) {
        removeUnfinished(String(decoding: name, as: UTF8.self))
      }
    }
    // In order of creation, which UUIDs sort by.
    if journals.count > 1 { journals.sort() }
    return journals
  }

  /// Throws only failures that are ``SystemFailure/isPassing``.
  private func take(_ journal: UniqueID, in folder: Int32) throws(SystemFailure) -> Found {
    let name = Self.name(journal)
    let access = isOnlyRead ? O_RDONLY : O_RDWR
    let descriptor = openat(folder, name, access | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else {
      let failure = SystemFailure.last
      if failure.isPassing { throw failure }
      switch failure.errno {
      case ENOENT: return .gone
      case ELOOP, EISDIR, ENXIO: return .problem(.notPlain(file: name))
      case EACCES, EPERM: return .problem(.notPermitted(file: name))
      default: return .problem(.unreadableFile(file: name, errno: failure.errno))
      }
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      let failure = SystemFailure.last
      close(descriptor)
      return .problem(.unreadableFile(file: name, errno: failure.errno))
    }
    guard isTrusted(status) else {
      let file = PlainJournalFile(descriptor: descriptor)
      guard status.st_mode & S_IFMT == S_IFREG else { return .problem(.notPlain(file: name)) }
      let bytes = isSmall(status) ? try? file.read(0..<Int(status.st_size)) : nil
      return .refused(journal, bytes: bytes)
    }
    guard !isOnlyRead, flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      return .live(journal)
    }
    // Its process may have removed or renamed it between our opening it and its releasing the lock.
    var named = stat()
    guard fstatat(folder, name, &named, 0) == 0, named.st_ino == status.st_ino, named.st_dev == status.st_dev else {
      close(descriptor)
      return .gone
    }
    return .dead(journal, descriptor: descriptor, length: Int(named.st_size))
  }

  /// Flushes another process's journal. A file that no longer exists was checkpointed, so a failure to open it is
  /// ignored.
  func flushLive(_ journal: UniqueID) throws(SystemFailure) {
    let descriptor = systemOpen(path(Self.name(journal)), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return }
    try PlainJournalFile(descriptor: descriptor).synchronize()
  }

  /// Creates a file with a header and the given frames. The file is locked before it gets its name, so that no process
  /// mistakes it for the file of a dead one. Its frames are flushed before that, so that it can replace another file.
  package func create(
    _ journal: UniqueID, _ wrap: (any JournalFile) -> any JournalFile, log: UniqueID, frames: some Sequence<UInt8> = []
  ) throws(SystemFailure) -> any JournalFile {
    // Before the file is locked, another process may remove it as the unfinished file of a dead process. The folder may
    // also be deleted at any time. With many processes on few processors, this may happen several times.
    for _ in 1..<100 {
      do throws(SystemFailure) {
        return try createOnce(journal, wrap, log: log, frames: frames)
      } catch {
        guard error.errno == ENOENT || error.errno == EWOULDBLOCK else { throw error }
      }
    }
    return try createOnce(journal, wrap, log: log, frames: frames)
  }

  private func createOnce(
    _ journal: UniqueID, _ wrap: (any JournalFile) -> any JournalFile, log: UniqueID, frames: some Sequence<UInt8>
  ) throws(SystemFailure) -> any JournalFile {
    let unfinished = path(journal.description + JournalFormat.unfinishedSuffix.description)
    let flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
    unlink(unfinished)
    var descriptor = systemOpen(unfinished, flags, 0o600)
    if descriptor < 0, SystemFailure.last.errno == ENOENT {
      mkdir(path, 0o700)
      descriptor = systemOpen(unfinished, flags, 0o600)
    }
    guard descriptor >= 0 else { throw .last }
    let plain = PlainJournalFile(descriptor: descriptor)
    do throws(SystemFailure) {
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw .last }
      let file = wrap(plain)
      let header = JournalFormat.header(log: log, journal: journal)
      let content = header + frames
      try file.writeAll(content, at: 0)
      if content.count > header.count { try file.synchronize() }
      guard rename(unfinished, path(Self.name(journal))) == 0 else { throw .last }
      return file
    } catch {
      unlink(unfinished)
      throw error
    }
  }

  package func has(_ journal: UniqueID) -> Bool { access(path(Self.name(journal)), F_OK) == 0 }

  func remove(_ journal: UniqueID) throws(SystemFailure) {
    if unlink(path(Self.name(journal))) != 0, SystemFailure.last.errno != ENOENT { throw .last }
  }

  /// Keeps a damaged journal for inspection, under a name that is not a journal's.
  func setAside(_ journal: UniqueID) throws(SystemFailure) {
    let kept = path(journal.description + JournalFormat.damagedSuffix.description)
    if rename(path(Self.name(journal)), kept) != 0, SystemFailure.last.errno != ENOENT { throw .last }
  }

  /// Makes the names of the files, and of the folder itself, survive a power cut.
  package func synchronize() throws(SystemFailure) {
    try Self.synchronize(path)
    if let end = path.utf8.lastIndex(of: UInt8(ascii: "/")) { try Self.synchronize(String(path[..<end])) }
  }

  private static func synchronize(_ path: String) throws(SystemFailure) {
    let descriptor = systemOpen(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .last }
    defer { close(descriptor) }
    if fsync(descriptor) != 0 { throw .last }
  }

  private func removeUnfinished(_ name: String) {
    let descriptor = systemOpen(path(name), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return }
    if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { unlink(path(name)) }
    close(descriptor)
  }
}

private func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t = 0) -> Int32 { open(path, flags, mode) }

extension UnsafeBufferPointer<UInt8> {
  fileprivate func hasSuffix(_ suffix: StaticString) -> Bool {
    let other = UnsafeRawBufferPointer(start: suffix.utf8Start, count: suffix.utf8CodeUnitCount)
    return UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: self.suffix(other.count))).isSame(as: other)
  }
}
