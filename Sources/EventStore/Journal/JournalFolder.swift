import RepriseObjectModel

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The folder `journals` of a store: what is there, who owns it, making and removing.
struct JournalFolder: Sendable {
  let path: String

  enum Found {
    /// Its process lives.
    case live(UniqueID)
    /// Ours from now on.
    case dead(UniqueID, descriptor: Int32, length: Int)
    case problem(JournalProblem)
  }

  static func name(_ journal: UniqueID) -> String { journal.description + JournalFormat.suffix }

  func path(_ name: String) -> String { path + "/" + name }

  /// Every journal but those known; the lock of each dead one is taken. No folder: none.
  func look(knowing known: [UniqueID]) throws(JournalError) -> [Found] {
    var found: [Found] = []
    for name in try names() {
      if name.hasSuffix(JournalFormat.unfinishedSuffix) { removeUnfinished(name) }
      guard name.hasSuffix(JournalFormat.suffix),
        let journal = UniqueID(String(name.dropLast(JournalFormat.suffix.utf8.count))), !known.contains(journal)
      else { continue }
      if let one = take(name, journal) { found.append(one) }
    }
    return found
  }

  func names() throws(JournalError) -> [String] {
    guard let folder = opendir(path) else {
      let failure = SystemFailure.last
      if failure.errno == ENOENT { return [] }
      throw .cannotList(path: path, errno: failure.errno)
    }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
        tuple.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: tuple.pointee)) {
          String(cString: $0)
        }
      }
      names.append(name)
    }
    return names.sorted()
  }

  private func take(_ name: String, _ journal: UniqueID) -> Found? {
    let descriptor = open(path(name), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else {
      let failure = SystemFailure.last
      switch failure.errno {
      case ENOENT: return nil
      case ELOOP, EISDIR: return .problem(.notPrivate(file: name))
      default: return .problem(.unreadableFile(file: name, errno: failure.errno))
      }
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
      status.st_mode & (S_IWGRP | S_IWOTH) == 0
    else {
      close(descriptor)
      return .problem(.notPrivate(file: name))
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      return .live(journal)
    }
    // Its process may have removed or renamed it between our opening and its letting go.
    var named = stat()
    guard stat(path(name), &named) == 0, named.st_ino == status.st_ino, named.st_dev == status.st_dev,
      fstat(descriptor, &status) == 0
    else {
      close(descriptor)
      return nil
    }
    return .dead(journal, descriptor: descriptor, length: Int(status.st_size))
  }

  /// Reads a journal of another process, as far as it is there.
  func readLive(_ journal: UniqueID) throws(SystemFailure) -> [UInt8] {
    let descriptor = open(path(Self.name(journal)), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { throw .last }
    let file = PlainJournalFile(descriptor: descriptor)
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .last }
    return try file.read(0..<Int(status.st_size))
  }

  /// Makes a file with a header, and frames behind it, locked from before it has its name, so that nobody takes it for
  /// a dead one.
  func create(
    _ journal: UniqueID, _ wrap: (any JournalFile) -> any JournalFile, log: UniqueID, frames: some Sequence<UInt8> = []
  ) throws(SystemFailure) -> any JournalFile {
    let unfinished = path(journal.description + JournalFormat.unfinishedSuffix)
    let flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
    unlink(unfinished)
    var descriptor = open(unfinished, flags, 0o600)
    if descriptor < 0, SystemFailure.last.errno == ENOENT {
      mkdir(path, 0o700)
      descriptor = open(unfinished, flags, 0o600)
    }
    guard descriptor >= 0 else { throw .last }
    let plain = PlainJournalFile(descriptor: descriptor)
    do throws(SystemFailure) {
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw .last }
      let file = wrap(plain)
      try file.writeAll(JournalFormat.header(log: log, journal: journal) + frames, at: 0)
      guard rename(unfinished, path(Self.name(journal))) == 0 else { throw .last }
      return file
    } catch {
      unlink(unfinished)
      throw error
    }
  }

  func remove(_ journal: UniqueID) throws(SystemFailure) {
    if unlink(path(Self.name(journal))) != 0, SystemFailure.last.errno != ENOENT { throw .last }
  }

  /// Keeps a damaged journal for whoever wants to look, under a name that nobody takes for a journal.
  func setAside(_ journal: UniqueID) throws(SystemFailure) {
    let kept = path(journal.description + JournalFormat.damagedSuffix)
    if rename(path(Self.name(journal)), kept) != 0, SystemFailure.last.errno != ENOENT { throw .last }
  }

  /// Makes the names of files survive a power cut.
  func synchronize() throws(SystemFailure) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .last }
    defer { close(descriptor) }
    if fsync(descriptor) != 0 { throw .last }
  }

  private func removeUnfinished(_ name: String) {
    let descriptor = open(path(name), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return }
    if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { unlink(path(name)) }
    close(descriptor)
  }
}
