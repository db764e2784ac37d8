import RepriseEventStore

/// A node of the archive that was not restored and does not come back by itself.
///
/// Its factory threw or found nothing, the node is in quarantine, its kind or a key is missing, or its record is
/// damaged. `Restoration.retry(at:)` tries to make the node, and `Restoration.close(at:)` removes it.
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
  /// How many nodes are below it.
  ///
  /// They come back with it.
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
