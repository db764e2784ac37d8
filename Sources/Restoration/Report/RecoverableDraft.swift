import RepriseEventStore

/// Uncommitted edits that no live context has, with the known facts about their screen.
///
/// If the node is still in the archive, `Restoration.retry(at:)` restores it with its edits. Otherwise, pass the
/// draft's ID to `Restoration.open(_:id:under:state:resumingDraft:draft:file:line:)`, which makes a node at any path.
/// To edit without a node, call `EditingContext.makeChild(draft:)`. To give the edits up, call
/// `Drafts.discard(_:)`.
public struct RecoverableDraft: Equatable, Sendable {
  /// The draft: its last change, its size, and its edits.
  public let draft: DraftInfo
  /// The scene of the node, as known from the archive or from the draft's name.
  ///
  /// It is `main` for a draft that the program named itself.
  public let scene: String
  /// The path of the node, or its last path if it was closed, or `nil` if the path is not known.
  public let path: NodePath?
  /// The name of the node's kind, also if the node was closed.
  ///
  /// `nil` if the kind is not known, for example because the scene was removed.
  public let kind: String?
  /// The title of the node, from its kind, or its last title if the node was closed.
  ///
  /// For a closed node, it has at most 200 characters. It is `nil` if the title is not known, or if the kind gives
  /// none. The draft's `preview` describes the edits even without a node.
  public let title: String?
  /// The node's state, or `nil` if the archive has none that can be read, as for a closed node.
  public let state: StateValue?
  /// Why the node was not restored, or `nil` if that is not known.
  public let outcome: RestorationReport.Outcome?
}
