import RepriseEventStore
import RepriseObjectGraph

/// A context that nodes' own contexts are made under.
package protocol ContextHost: AnyObject {
  /// Where the drafts of those contexts are.
  var draftStorage: any DraftStorage { get }
  /// The context of a draft, as a child of this one and with the draft's edits: the live one, if there is one.
  func makeOwnContext(draft: String) throws(DraftError) -> any OwnContext
  /// The live child of this context that has a draft.
  func liveOwnContext(draft: String) -> (any OwnContext)?
}

/// A node's own context.
package protocol OwnContext: ContextHost {
  var hasChanges: Bool { get }
  /// Whether its changes contradict the values that they are based on. The cost grows with the changes.
  var isInConflict: Bool { get }
  /// The node that owns the context, not retained. There is at most one, so that cancelling in one screen does not
  /// discard the edits of another.
  var owner: AnyObject? { get set }
}

extension EditingContext: OwnContext {
  package var draftStorage: any DraftStorage { StoreArchive(store) }
  package var isInConflict: Bool { (try? conflicts().isEmpty) == false }
  package func makeOwnContext(draft: String) throws(DraftError) -> any OwnContext {
    try child(withDraft: draft, .resume)
  }
  package func liveOwnContext(draft: String) -> (any OwnContext)? { liveChild(withDraft: draft) }
}
