/// Whether a data source has its rows.
@nonexhaustive
public enum Readiness: Sendable {
  /// Not yet. A batch will bring them, or say that they could not be read.
  case pending
  /// It has them.
  case ready
  /// They could not be read, for this reason. The source shows what it had before; a later batch may recover, and
  /// ``RefreshableSource/refresh()`` tries again.
  case failed(any Error)

  /// Whether the rows are there.
  public var isReady: Bool { if case .ready = self { true } else { false } }
}
