/// How the last launch of a scene ended.
public enum LastExit: Hashable, Sendable {
  /// Nothing tells: there was no launch before, a power cut took what was noted, or an older version of the library
  /// wrote the archive.
  case unknown
  /// In order: `Restoration.end()`, `Store.close()`, a `flush()` after which nothing was changed, or a signal that
  /// `flushOnTermination()` waited for. Nothing is to be recovered that the user does not expect.
  case clean
  /// The process ended while the scene was restored: killed, by a crash, or with an exit that nothing was told of. At
  /// most its last 250 ms are lost.
  case crashed
  /// The process ended before the scene was restored. If the next launch ends while it makes the same node as the last
  /// one, that node is left out: see `RestorationReport.Outcome.quarantined(reason:)`.
  case crashedWhileRestoring
}
