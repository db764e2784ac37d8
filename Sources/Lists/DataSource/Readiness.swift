/// Whether a data source has its rows.
@nonexhaustive
public enum Readiness: Sendable {
  /// The rows are not there yet.
  ///
  /// A batch will announce that they are, or that they could not be read.
  case pending
  /// The rows are there.
  case ready
  /// The rows could not be read, for this reason.
  ///
  /// The source shows the rows that it had before. A later batch may announce its recovery, and
  /// ``RefreshableSource/refresh()`` tries again.
  case failed(any Error)

  /// Whether the rows are there.
  public var isReady: Bool { if case .ready = self { true } else { false } }
}
