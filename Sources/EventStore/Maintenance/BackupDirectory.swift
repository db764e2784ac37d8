import RepriseJournal
import RepriseLog
import RepriseSystem

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A directory for a backup that is being made. Its data file has another name until it is complete, so nothing takes
/// the directory for a store.
struct BackupDirectory {
  let path: String
  /// The descriptor of the data file.
  let data: Int32
  private let access: StoreAccess
  private let isOurs: Bool
  private var journals: [String] = []

  private static let unfinished = "/data.mdb.unfinished"

  /// The path of the data file until ``finish()``.
  var dataPath: String { path + Self.unfinished }

  init(_ path: String, _ access: StoreAccess) throws(StoreError) {
    self.path = path
    self.access = access
    isOurs = try StoreDirectory.requireEmpty(path, access)
    data = open(path + Self.unfinished, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, access.fileMode)
    if data < 0 {
      let failure = StoreDirectory.failure(errno, path, "making a file")
      if isOurs { rmdir(path) }
      throw failure
    }
    // Restores the bits that the process's umask cleared.
    fchmod(data, access.fileMode)
  }

  /// Copies a journal, flushed.
  mutating func write(_ bytes: [UInt8], journal name: String) throws(StoreError) {
    let folder = path + "/journals"
    if journals.isEmpty {
      guard mkdir(folder, access.directoryMode) == 0 else {
        throw StoreDirectory.failure(errno, path, "making the folder of journals")
      }
      chmod(folder, access.directoryMode)
    }
    journals.append(name)
    let file = open(folder + "/" + name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw StoreDirectory.failure(errno, path, "making a journal") }
    let journal = PlainJournalFile(descriptor: file)
    do throws(SystemFailure) {
      try journal.writeAll(bytes, at: 0)
      try journal.synchronize()
    } catch {
      throw StoreDirectory.failure(error.errno, path, "writing a journal")
    }
  }

  /// Renames the data file, after everything else has reached the disk.
  func finish() throws(StoreError) {
    if !journals.isEmpty { try StoreDirectory.flushNames(path + "/journals") }
    try StoreDirectory.flushNames(path)
    guard rename(path + Self.unfinished, path + "/data.mdb") == 0 else {
      throw StoreDirectory.failure(errno, path, "naming the data file")
    }
    try StoreDirectory.flushNames(path)
    close(data)
  }

  func remove() {
    close(data)
    for name in journals { unlink(path + "/journals/" + name) }
    rmdir(path + "/journals")
    for name in [Self.unfinished, "/data.mdb"] { unlink(path + name) }
    if isOurs { rmdir(path) }
  }
}
