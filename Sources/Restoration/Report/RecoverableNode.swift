import RepriseEventStore

/// A node of the archive that this launch could not restore.
///
/// ``outcome`` has the reason. For example, the factory of the node threw an error, or the node is in quarantine. Or
/// the program has not defined its kind, a key that it needs is not registered, or its record is damaged.
/// `Restoration.retry(at:)` tries again to make the node, and `Restoration.close(at:)` removes it.
public struct RecoverableNode: Equatable, Sendable {
  /// The path of the node.
  public let path: NodePath
  /// The name of the node's kind, or empty if its record cannot be read.
  public let kind: String
  /// The title of the node, or `nil` if its kind gives none or is not defined.
  public let title: String?
  /// The stored state, or `nil` if it cannot be read.
  public let state: StateValue?
  /// The size of the node's state and of all states below it, in bytes.
  public let byteCount: Int
  /// The number of nodes below it. If you retry the node, these nodes are made, too.
  public let nodesBelow: Int
  /// Why the node was not restored.
  public let outcome: RestorationReport.Outcome
  /// When the node was first not restored, in microseconds since 1970 by the wall clock.
  ///
  /// `nil` if that is not recorded, as for a node in quarantine.
  public let missedSince: Int64?
  /// In how many launches the node was not restored, including this one.
  ///
  /// See `Restoration.unrestoredNodeRetention`.
  public let missedLaunches: Int
  /// The drafts with uncommitted edits of this node and of the nodes below it.
  public let drafts: [DraftInfo]
}
