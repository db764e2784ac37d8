/// The outcome of every node that the last process left.
public struct RestorationReport: Sendable {
  /// The archive at the start of the restoration.
  public enum Start: Equatable, Sendable {
    /// There was no archive.
    case fresh
    /// The program refused the archive.
    ///
    /// The first save sets it aside.
    case refused
    /// The last four launches ended while they restored the archive, although they left out the nodes known to crash.
    ///
    /// The archive is set aside at once, see ``Restoration/refusedArchives(of:in:)``. Edits stay available:
    /// ``Restoration/recoverableDrafts()`` lists them.
    case quarantined
    /// There was an archive.
    ///
    /// Its nodes are the ``RestorationReport/entries``.
    case restored
  }

  /// The outcome of one node or registered object.
  public enum Outcome: Equatable, Sendable {
    /// The factory made the screen or the object from its state.
    case restored
    /// The factory, or the registration, returned an instance that existed before.
    case reused
    /// The factory found nothing to restore, or an ancestor was not restored.
    ///
    /// The state is kept.
    case skipped(reason: String)
    /// Its kind, or a key that it needs, is not defined or registered.
    ///
    /// The state is kept.
    case unresolved(String)
    /// Nothing visible needs the node.
    ///
    /// It is made on request. See ``RestorationNode/selection``.
    case deferred
    /// The node waits for the object that is registered late under this key.
    case pending(key: String)
    /// The record is damaged.
    ///
    /// Its bytes are kept.
    case corrupt(reason: String)
    /// The factory threw, or the state or the context could not be restored.
    ///
    /// The state is kept.
    case failed(reason: String)
    /// The last two launches ended while they made the node, or an object that it needs.
    ///
    /// This launch therefore did not make the node. The archive keeps its state and its edits.
    /// ``Restoration/retry(at:)`` makes the node, and so does a launch of a program with a different `appVersion`.
    case quarantined(reason: String)
  }

  /// The outcome of one node.
  public struct Entry: Equatable, Sendable {
    /// The path of the node.
    public let path: NodePath
    /// The name of the node's kind, or empty if its record is damaged.
    public let kind: String
    /// The outcome of the node.
    public internal(set) var outcome: Outcome
  }

  /// The outcome of one registered object that nodes refer to, or that has a state.
  public struct ObjectEntry: Equatable, Sendable {
    /// The key under which the object is registered.
    public let key: String
    /// The outcome of the object.
    public internal(set) var outcome: Outcome
  }

  /// The archive at the start of the restoration.
  public let start: Start
  /// The metadata of the archive, or `nil` if there was none.
  public let archive: ArchiveInfo?
  /// How the last launch of the scene ended.
  public let lastExit: ExitReason
  /// The outcomes of the nodes, in the order of their creation.
  ///
  /// Nodes that are read after restore are appended.
  public internal(set) var entries: [Entry]
  /// How many further nodes the archive has whose records were not read.
  ///
  /// These nodes are deferred. A node joins the ``entries`` when the program asks for it or for its parent's children.
  public internal(set) var unread: Int
  /// The outcomes of the registered objects, by key.
  public internal(set) var objects: [ObjectEntry]
  /// The drafts with uncommitted edits whose nodes, or contexts, were not restored.
  ///
  /// They are in `store.drafts`, and restoration never drops them.
  public internal(set) var orphanedDrafts: [String]
  /// The drafts of restored nodes whose edits were based on edits of the parent context that no longer exist.
  ///
  /// The parent context has no edits now, and its values conflict with the draft. Call `conflicts()` of the node's
  /// context for the details.
  public internal(set) var conflictingDrafts: [String]
  /// The nodes that the library dropped from the archive in this launch.
  ///
  /// None had uncommitted edits.
  ///
  /// A node is dropped by ``Restoration/unrestoredNodeRetention``, by ``Restoration/deferredNodeRetention``, or by
  /// ``StateMigration/dropping(below:)``.
  public internal(set) var dropped: [NodePath]
  /// Damage in the store's journals and tables that cannot be traced to one node, one sentence each.
  public internal(set) var damage: [String]

  /// Returns the outcome of the node at a path, or `nil` if the archive had none there.
  ///
  /// - Complexity: O(n)
  public func outcome(at path: NodePath) -> Outcome? { entries.first { $0.path == path }?.outcome }

  /// Whether no node waits for a late object.
  public var isSettled: Bool {
    !entries.contains { if case .pending = $0.outcome { true } else { false } }
  }
}
