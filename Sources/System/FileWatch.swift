/// Tells that something may have written to a file, in any process, for as long as it lives. Those who write pay
/// nothing.
///
/// All watches of a process share one thread, which waits, and one queue of the system. The thread ends with the last
/// watch. Where the system does not tell of writes to a file, the thread looks once a second.
package final class FileWatch: Sendable {
  /// What a look found.
  package enum Finding: Sendable {
    /// What a write was to bring.
    case found
    /// Nothing. A write can be told before its last effect is seen, so the thread looks a few more times.
    case nothing
    /// A write of this process, of which nobody need be told. The thread looks once more, when many such writes may
    /// have come, instead of after each.
    case own
  }

  private let number: Int

  /// Calls `look` on the thread: soon, for what was written before, and after each write that the system tells of,
  /// once for several where the thread is behind. `nil` if the system cannot create the thread.
  package init?(_ path: String, _ look: @escaping @Sendable () -> Finding) {
    guard let number = FileWatcher.add(path, look) else { return nil }
    self.number = number
  }

  deinit { FileWatcher.remove(number) }
}
