/// An object that is registered late and has not arrived yet.
public struct LateObject: Equatable, Sendable {
  /// The stage of a late object.
  public enum Stage: Equatable, Sendable {
    /// The object is still being made, and the time limit has not passed.
    case pending
    /// The time limit has passed.
    ///
    /// If the object still arrives, the nodes that need it are made then.
    case overdue
    /// The object could not be made.
    ///
    /// `Restoration.retry(_:)` tries again.
    case failed(reason: String)
  }

  /// The key under which the object is registered.
  public let key: String
  /// The current stage.
  public let stage: Stage
  /// Whether the object could not be made.
  ///
  /// No further attempt runs until you retry.
  public var hasFailed: Bool { if case .failed = stage { true } else { false } }
  /// The reported progress, from 0 to 1, or `nil` if nothing was reported.
  public let fraction: Double?
  /// How many nodes wait for the object, not counting the nodes below them.
  public let waitingNodes: Int
}
