/// What became of every node that the last process left.
public struct RestorationReport: Sendable {
  /// What there was to begin with.
  public enum Start: Hashable, Sendable {
    /// There was no archive.
    case fresh
    /// The program refused the archive. It is set aside at the first save.
    case refused
    /// The last four launches ended while it was restored, though the nodes that were known to end them were left out.
    /// It is set aside as one that the program refused, at once: see ``Restoration/refusedArchives(of:in:)``. Of the
    /// edits nothing is: ``Restoration/recoverableDrafts()`` lists them.
    case quarantined
    /// There was an archive, and its nodes are the ``RestorationReport/entries``.
    case restored
  }

  /// What became of one node.
  public enum Outcome: Hashable, Sendable {
    /// Its factory made it, from its state.
    case restored
    /// Its factory, or the registry, gave an object that existed before.
    case reused
    /// Its factory found nothing to restore, or a node above it was not restored. Its state is kept.
    case skipped(reason: String)
    /// What it names is not defined or registered: its kind, or a key that it needs. Its state is kept.
    case unresolved(String)
    /// Nothing visible needs it: it is made when somebody asks. See ``RestorationNode/selection``.
    case deferred
    /// It waits for what is registered late under this key.
    case pending(key: String)
    /// Its record is damaged. The bytes are kept.
    case corrupt(reason: String)
    /// Its factory threw, or its state or context could not be taken up. Its state is kept.
    case failed(reason: String)
    /// The last two launches ended while it was made, or something that it needs; so it was not made in this one. Its
    /// state and its edits are kept. ``Restoration/retry(at:)`` makes it after all; so does a launch of a program with
    /// another `appVersion`.
    case quarantined(reason: String)
  }

  /// One node.
  public struct Entry: Hashable, Sendable {
    /// Where the node stands.
    public let path: NodePath
    /// The name of its kind; empty if its record is damaged.
    public let kind: String
    /// What became of it.
    public internal(set) var outcome: Outcome
  }

  /// One registered object that nodes of the archive referred to, or that had a state of its own.
  public struct ObjectEntry: Hashable, Sendable {
    /// Under what it is registered.
    public let key: String
    /// What became of it.
    public internal(set) var outcome: Outcome
  }

  /// What there was to begin with.
  public let start: Start
  /// The archive's account of itself; `nil` if there was no archive.
  public let archive: ArchiveInfo?
  /// How the last launch of the scene ended.
  public let lastExit: LastExit
  /// The nodes, in the order of their making.
  public internal(set) var entries: [Entry]
  /// How many nodes more the archive has: they are deferred, and not even their records were read. They are among the
  /// ``entries`` once somebody asks for them, or for the children of the node above.
  public internal(set) var unread: Int
  /// The registered objects, by key.
  public internal(set) var objects: [ObjectEntry]
  /// Drafts with uncommitted edits whose node was not restored, or whose context could not be made. They are in
  /// `store.drafts`, and nothing of restoration ever drops them.
  public internal(set) var orphanedDrafts: [String]
  /// Drafts of restored nodes whose edits rest on edits of the context above that are gone: it was emptied, and what is
  /// there now is in conflict with them. The contexts' `conflicts()` say where.
  public internal(set) var conflictingDrafts: [String]
  /// Nodes that were dropped from the archive, because they were not restored in as many launches as the program keeps
  /// them for. None had uncommitted edits. See ``Restoration/keptNodes``.
  public internal(set) var dropped: [NodePath]
  /// Damage in the store's journals and tables that cannot be traced to one node, a sentence each.
  public internal(set) var damage: [String]

  /// What became of the node at a path; `nil` if the archive had none there.
  public func outcome(at path: NodePath) -> Outcome? { entries.first { $0.path == path }?.outcome }

  /// Whether nothing waits any more.
  public var isSettled: Bool {
    !entries.contains { if case .pending = $0.outcome { true } else { false } }
  }
}
