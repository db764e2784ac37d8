import RepriseJournal
import RepriseLMDB
import RepriseLog

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A store's directory, checked or created before the environment is opened.
enum StoreDirectory {
  /// The state of a directory before it is opened.
  struct Place {
    /// Whether the store has yet to be created. If so, ``finish(_:)`` must follow.
    let isNew: Bool
    /// The access for files created in it.
    let access: StoreAccess
  }

  /// Creates the directory if it does not exist. Returns its identity, which is the same for every path that leads to
  /// it.
  static func prepare(_ path: String, _ access: StoreAccess) throws(StoreError) -> FileIdentity {
    guard !path.isEmpty, !path.utf8.contains(0) else { throw .notFound(path: path) }
    var status = stat()
    if stat(path, &status) != 0 {
      if mkdir(path, access.directoryMode) == 0 {
        // Restores the bits that the process's umask cleared.
        chmod(path, access.directoryMode)
      } else if errno != EEXIST {
        throw failure(errno, path, "making the directory")
      }
      return try identity(path)
    }
    return try identity(status, path)
  }

  /// The identity of a directory, which is the same for every path that leads to it.
  static func identity(_ path: String) throws(StoreError) -> FileIdentity {
    var status = stat()
    guard stat(path, &status) == 0 else { throw failure(errno, path, "looking at the directory") }
    return try identity(status, path)
  }

  private static func identity(_ status: stat, _ path: String) throws(StoreError) -> FileIdentity {
    guard status.st_mode & S_IFMT == S_IFDIR else { throw .notADirectory(path: path) }
    return FileIdentity(
      device: UInt64(truncatingIfNeeded: status.st_dev), inode: UInt64(truncatingIfNeeded: status.st_ino))
  }

  /// The name of a file that exists while a store is being created. LMDB first creates an empty data file. Without this
  /// mark, a data file truncated to nothing would look like a new one, and a new store would replace the old.
  private static let mark = "new"

  /// Throws if the directory has foreign files, or files of a store but no data.
  ///
  /// - Parameter access: The access for a store created there.
  static func requireStoreOrEmpty(_ path: String, _ access: StoreAccess) throws(StoreError) -> Place {
    var status = stat()
    let isThere = stat(path + "/data.mdb", &status) == 0
    let access = isThere ? StoreAccess(status.st_mode) : access
    // The common case is an intact store, for which the directory need not be listed.
    let isWhole = isThere && status.st_size > 0 && !exists(path + "/" + mark)
    let isNew = isWhole ? false : try isNew(path, access)
    if access == .group { makeJournals(path, access) }
    return Place(isNew: isNew, access: access)
  }

  private static func isNew(_ path: String, _ access: StoreAccess) throws(StoreError) -> Bool {
    var names = try names(path)
    let isMarked = names.contains(mark)
    if names.contains("data.mdb") {
      if !isMarked { try requireData(path) }
      return isMarked
    }
    if !isMarked && (names.contains("lock.mdb") || names.contains("journals")) {
      // Another process may have created the mark or the data since the directory was listed.
      if exists(path + "/" + mark) || exists(path + "/data.mdb") { return true }
      throw .notAStore(
        path: path,
        reason: "it holds other files of a store, but no data.mdb. If data.mdb was deleted, restore a backup")
    }
    names.subtract(["lock.mdb", "journals", mark])
    if let stranger = names.min() {
      throw .notAStore(path: path, reason: "it holds other files ('\(stranger)') and no data.mdb")
    }
    let file = open(path + "/" + mark, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, access.fileMode)
    if file < 0 {
      if errno == ELOOP {
        throw .notAStore(
          path: path,
          reason: "it holds a symbolic link '\(mark)', where a new store needs a file of this name. Remove the link")
      }
      throw failure(errno, path, "making a file")
    }
    close(file)
    return true
  }

  /// Prepares an empty directory for a store made from another one. ``finish(_:)`` or
  /// ``removeUnfinished(_:withDirectory:)`` must follow. Returns whether the directory was created, too.
  static func makeEmpty(_ path: String, _ access: StoreAccess) throws(StoreError) -> Bool {
    let isMade = try requireEmpty(path, access)
    _ = try requireStoreOrEmpty(path, access)
    return isMade
  }

  /// Creates a directory, or requires that it is empty. Returns whether it was created.
  static func requireEmpty(_ path: String, _ access: StoreAccess) throws(StoreError) -> Bool {
    let isThere = !path.isEmpty && exists(path)
    _ = try prepare(path, access)
    if let stranger = try names(path).min() {
      throw .notAStore(path: path, reason: "it holds '\(stranger)', and a new store needs an empty directory")
    }
    return !isThere
  }

  /// Removes the files of a store whose creation failed.
  static func removeUnfinished(_ path: String, withDirectory: Bool) {
    for name in (try? names(path + "/journals")) ?? [] { unlink(path + "/journals/" + name) }
    rmdir(path + "/journals")
    for name in ["data.mdb", "lock.mdb", mark] { unlink(path + "/" + name) }
    if withDirectory { rmdir(path) }
  }

  /// The folder in which a plan of migrations is rehearsed on a copy of the store.
  static func rehearsal(_ path: String) -> String { path + "/rehearsal" }

  static func hasRehearsal(_ path: String) -> Bool { exists(rehearsal(path)) }

  /// Removes the copy that a killed process may have left.
  static func removeRehearsal(_ path: String) {
    let folder = rehearsal(path)
    for name in (try? names(folder)) ?? [] { unlink(folder + "/" + name) }
    rmdir(folder)
  }

  /// Returns the identity of an existing store's directory, and the store's access.
  static func requireStore(_ path: String) throws(StoreError) -> (FileIdentity, StoreAccess) {
    guard !path.isEmpty, !path.utf8.contains(0) else { throw .notFound(path: path) }
    let identity = try identity(path)
    guard try names(path).contains("data.mdb") else { throw .notAStore(path: path, reason: "it holds no data.mdb") }
    try requireData(path)
    var status = stat()
    _ = stat(path + "/data.mdb", &status)
    return (identity, StoreAccess(status.st_mode))
  }

  /// In a store for a group, every user of the group keeps journals in this folder.
  private static func makeJournals(_ path: String, _ access: StoreAccess) {
    let journals = path + "/journals"
    if mkdir(journals, access.directoryMode) == 0 { chmod(journals, access.directoryMode) }
  }

  /// Flushes the names of the directory and of the files in it: a save is only as durable as they are. Must precede
  /// ``finish(_:)``.
  static func flushNames(_ path: String) throws(StoreError) {
    for directory in [path, path + "/.."] {
      let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      // Without the permission to read it, this user cannot flush the folder.
      if descriptor < 0 && errno == EACCES { continue }
      guard descriptor >= 0 else { throw failure(errno, path, "opening the directory") }
      defer { close(descriptor) }
      // Some file systems have nothing to flush for a directory.
      if fsync(descriptor) != 0, errno != EINVAL { throw failure(errno, path, "flushing the directory") }
    }
  }

  /// Removes the mark: the store is complete.
  static func finish(_ path: String) { unlink(path + "/" + mark) }

  private static func requireData(_ path: String) throws(StoreError) {
    guard exists(path + "/data.mdb") else {
      throw .notAStore(path: path, reason: "data.mdb is a broken symbolic link. Correct the link, or restore a backup")
    }
    guard size(path + "/data.mdb") == 0, !exists(path + "/" + mark), size(path + "/data.mdb") == 0 else { return }
    throw .fileTruncated(path: path, expected: 2 * Int(getpagesize()), found: 0)
  }

  private static func exists(_ path: String) -> Bool { size(path) != nil }

  private static func size(_ path: String) -> Int? {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : nil
  }

  private static func names(_ path: String) throws(StoreError) -> Set<String> {
    guard let directory = opendir(path) else { throw failure(errno, path, "reading the directory") }
    defer { closedir(directory) }
    var names: Set<String> = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: entry.pointee.d_name)) {
          String(cString: $0)
        }
      }
      if name != "." && name != ".." { names.insert(name) }
    }
    return names
  }

  static func failure(_ code: Int32, _ path: String, _ operation: String) -> StoreError {
    switch code {
    case ENOENT: return .notFound(path: path)
    case ENOTDIR: return .notADirectory(path: path)
    case EACCES, EPERM: return .permissionDenied(path: path)
    case EROFS: return .readOnly(path: path)
    case ENOSPC, EDQUOT: return .diskFull(path: path)
    default: return .system(path: path, operation: operation, code: code, message: String(cString: strerror(code)))
    }
  }
}
