/// Reports possible writes to a file by any process, as long as it lives. It costs the writers nothing.
///
/// All watches of a process share one thread, which waits, and one queue of the system. The thread ends with the last
/// watch. If the system does not report writes to a file, the thread looks at it once a second.
package final class FileWatch: Sendable {
  /// The result of looking at the file.
  package enum Finding: Sendable {
    /// The expected effect of a write.
    case found
    /// No effect. A write can be reported before its effect is visible, so the thread looks a few more times.
    case nothing
    /// A write of this process, which needs no report. The thread looks once more after many such writes, instead of
    /// after each.
    case own
  }

  private let number: Int

  /// Calls `look` on the thread after each reported write. Also calls it once soon, for writes before the watch. If the
  /// thread is late, one call covers several writes. `nil` if the system cannot create the thread.
  package init?(_ path: String, _ look: @escaping @Sendable () -> Finding) {
    guard let number = FileWatchThread.add(path, look) else { return nil }
    self.number = number
  }

  deinit { FileWatchThread.remove(number) }
}
