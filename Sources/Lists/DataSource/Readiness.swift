/// Whether a data source has its rows.
@nonexhaustive
public enum Readiness: Sendable {
  /// They are still to come, in a batch.
  case pending
  /// It has them.
  case ready
  /// They could not be read, with the reason. The source shows what it had before; a later batch may mend it.
  case failed(any Error)

  /// Whether the rows are there.
  public var isReady: Bool { if case .ready = self { true } else { false } }
}
