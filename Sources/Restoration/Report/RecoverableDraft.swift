import RepriseEventStore

/// Uncommitted edits that no live context has, and what is known of the screen that they were made on.
///
/// To take them up: `Restoration.retry(at:)` where the node is still in the archive; else
/// `Restoration.open(_:id:under:state:resumingDraft:draft:file:line:)` with the draft's ID makes a node on them, at any
/// path, and `EditingContext.makeChild(draft:)` a context without one. `Store.discardDraft(_:)` ends them.
public struct RecoverableDraft: Hashable, Sendable {
  /// The draft: when it was last changed, its size, and what it does.
  public let draft: DraftInfo
  /// The scene whose node it was, as far as the archive or the draft's name tells: `main` for one that a program named
  /// itself.
  public let scene: String
  /// Where its node stands in the archive, or stood when it was closed; `nil` if nothing tells.
  public let path: NodePath?
  /// The name of the node's kind, also if the node was closed; `nil` if nothing tells, as where the scene was removed.
  public let kind: String?
  /// What people call the node, or called it when it was closed, as its kind says; `nil` if nothing tells, or its kind
  /// says nothing. At most 200 characters of that of a closed node. The draft's `preview` says what it does, also
  /// without a node.
  public let title: String?
  /// The node's state; `nil` if the archive has none that can be read, as that of a closed node.
  public let state: StateValue?
  /// Why the node was not restored; `nil` if the archive has none.
  public let outcome: RestorationReport.Outcome?
}
