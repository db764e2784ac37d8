import RepriseEventStore

/// A node of the archive that was not restored, and does not come back by itself: its factory found nothing or threw,
/// it is in quarantine, what it names is not there, or its record is damaged.
///
/// `Restoration.retry(at:)` makes it after all, `Restoration.close(at:)` ends it.
public struct RecoverableNode: Hashable, Sendable {
  /// Where it stands.
  public let path: NodePath
  /// The name of its kind; empty if its record cannot be read.
  public let kind: String
  /// What people call it, as its kind says; `nil` if that says nothing, or is not defined.
  public let title: String?
  /// What is to be restored of it; `nil` if it cannot be read.
  public let state: StateValue?
  /// How many bytes its state, and those of all nodes below it, have.
  public let byteCount: Int
  /// How many nodes are below it, and come back with it.
  public let nodesBelow: Int
  /// Why it was not restored.
  public let outcome: RestorationReport.Outcome
  /// When it was first not restored, in microseconds since 1970 by the wall clock; `nil` if that is not counted, as of
  /// a node in quarantine.
  public let missedSince: Int64?
  /// In how many launches it was not restored, this one included: see `Restoration.keptNodes`.
  public let missedLaunches: Int
  /// Its own uncommitted edits, and those of nodes below it.
  public let drafts: [DraftInfo]
}
