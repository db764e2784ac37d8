/// Something that is registered late and has not come yet.
public struct LateSource: Hashable, Sendable {
  /// How it stands.
  public enum Stage: Hashable, Sendable {
    /// It is on its way.
    case coming
    /// It did not come in time, and may still come: nodes that need it are made then.
    case overdue
    /// It could not be had. `Restoration.retry(_:)` tries again.
    case failed(reason: String)
  }

  /// Under what it is registered.
  public let key: String
  /// How it stands.
  public let stage: Stage
  /// Whether it could not be had, and nothing tries.
  public var hasFailed: Bool { if case .failed = stage { true } else { false } }
  /// How much of it has come, from 0 to 1; `nil` if nobody says.
  public let fraction: Double?
  /// How many nodes wait for it, without those below them.
  public let waitingNodes: Int
}
