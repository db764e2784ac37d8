import RepriseEventStore
import RepriseObjectGraph

/// Two who edit the same: two roots of one store, or a child and its parent.
@MainActor struct TwoEditors {
  let mine: EditingContext
  let theirs: EditingContext
  var isChild: Bool { mine is ChildContext }

  /// - Parameter root: Who edits, or the parent of who edits. Without changes.
  init(_ root: RootContext, isChild: Bool) {
    root.followsHead = false
    if isChild {
      (mine, theirs) = (root.makeChild(), root)
    } else {
      let other = RootContext(root.store)
      other.followsHead = false
      (mine, theirs) = (root, other)
    }
  }

  /// Theirs comes first: in the log, or pending in the parent.
  ///
  /// - Parameter isSeen: Whether mine moves there, with what is pending above it. A child does always.
  func saveTheirs(isSeen: Bool = true) async throws {
    guard !isChild, let root = theirs as? RootContext else { return }
    try await root.save()
    if isSeen { try (mine as? RootContext)?.refresh() }
  }

  func saveMine(merging policy: MergePolicy? = nil) async throws {
    switch mine {
    case let root as RootContext: try await root.save("mine", merging: policy)
    case let child as ChildContext: try child.save("mine", merging: policy)
    default: break
    }
  }
}
