/// How the last launch of a scene ended.
public enum ExitReason: Equatable, Sendable {
  /// It is not known how the launch ended.
  ///
  /// Either there was no earlier launch, or a power cut destroyed the record of it.
  case unknown
  /// The scene ended in order, and no unsaved work was lost.
  ///
  /// One of these happened last: `Restoration.end()`, `Store.close()`, a `flush()` with no change after it, or a signal
  /// that `flushOnTermination()` handled.
  case clean
  /// The process ended while the scene was restored: it was killed, it crashed, or it exited without notice.
  ///
  /// At most the changes of the last 250 ms are lost.
  case crashed
  /// The process ended before the scene was restored.
  ///
  /// If the next launch ends while it makes the same node, the launch after it leaves that node out. See
  /// `RestorationReport.Outcome.quarantined(reason:)`.
  case crashedWhileRestoring
}
