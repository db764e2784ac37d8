import RepriseObjectModel
import RepriseSystem

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension JournalFolder {
  /// Whether a file is a plain file of this user that only writers of saved data may write: the user, or also the group
  /// if the store belongs to the group. A volume's owner may make all files of a store group-writable.
  func isTrusted(_ file: stat) -> Bool {
    guard file.st_mode & S_IFMT == S_IFREG, file.st_uid == geteuid(), file.st_mode & S_IWOTH == 0 else { return false }
    if file.st_mode & S_IWGRP == 0 { return true }
    var data = stat()
    return stat(path + "/../data.mdb", &data) == 0 && StoreAccess(data.st_mode) == .group && data.st_gid == file.st_gid
  }

  /// Whether a file is a plain one that may be read although it is not trusted: a planted file may have any size.
  func isSmall(_ file: stat) -> Bool {
    // More than any journal has before it is checkpointed.
    file.st_mode & S_IFMT == S_IFREG && file.st_size <= 1 << 28
  }

  /// Reads a journal of another process, as far as it is written.
  ///
  /// - Parameter evenIfRefused: Whether to read a journal that is not trusted, too, and take no content from it.
  /// - Throws: A failure that is ``SystemFailure/isRefusal`` if the journal is not trusted.
  package func readLive(_ journal: UniqueID, evenIfRefused: Bool = false) throws(SystemFailure) -> [UInt8] {
    let descriptor = systemOpen(path(Self.name(journal)), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { throw .last }
    let file = PlainJournalFile(descriptor: descriptor)
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .last }
    guard isTrusted(status) || evenIfRefused && isSmall(status) else { throw SystemFailure(errno: EPERM) }
    return try file.read(0..<Int(status.st_size))
  }
}

private func systemOpen(_ path: String, _ flags: Int32) -> Int32 { open(path, flags) }
