import RepriseSystem

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Keeps LMDB's locks on `lock.mdb` for as long as an environment is open.
///
/// LMDB's locks belong to the process. The system drops them when the process closes any descriptor of the file, as a
/// copy of the store's folder does. The next process to open the environment would then reset the lock file under a
/// live writer, and would free pages that live readers use. The locks here are on the same bytes, and belong to a
/// descriptor that is used for nothing else.
///
/// A system without such locks has LMDB's own only.
struct HeldLocks: Sendable {
  let descriptor: Int32
  let page = LockPage()
  private let forkGeneration = ForkGuard.current()

  static let none = HeldLocks(descriptor: -1)

  private init(descriptor: Int32) { self.descriptor = descriptor }

  /// LMDB's byte: shared by all who have the environment open, and exclusive while the file is made.
  private static let openByte: off_t = 0

  /// - Parameter process: The process's ID, which is also the byte whose lock shows that its readers live. LMDB must
  ///   have locked it, which the first snapshot does, and no snapshot may be live.
  init(_ directory: String, process: Int32) throws(StorageError) {
    descriptor = systemOpen(directory + "/" + LockFile.name)
    // A read-only file system has no lock file.
    guard descriptor >= 0 else {
      if errno == ENOENT || errno == EROFS || errno == EACCES { return }
      throw StorageError(code: errno, .open, path: directory)
    }
    if (try? ByteLock.take(.shared, Self.openByte, of: descriptor)) == false {
      // Another process is making the file new: this one has lost LMDB's lock already.
      closeFile()
      throw .lockLost(StorageError.Site(.open, directory))
    }
    // LMDB's own lock is in the way of one by a descriptor.
    ByteLock.releaseOfProcess(off_t(process), of: descriptor)
    if (try? ByteLock.take(.exclusive, off_t(process), of: descriptor)) == false {
      closeFile()
      throw .sameProcessID(process, StorageError.Site(.open, directory))
    }
  }

  /// Call it once LMDB has closed the file.
  func release() {
    page.release()
    if descriptor >= 0 { closeFile() }
  }

  private func closeFile() { ByteLock.close(descriptor, openedIn: forkGeneration) }
}

private func systemOpen(_ path: String) -> Int32 { open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW) }
