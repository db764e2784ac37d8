import RepriseEventStore
import RepriseObjectGraph

/// What the own contexts of nodes are made under.
package protocol ContextHost: AnyObject {
  /// A context for editing under this one, whose edits survive the process under the draft's ID; with the edits that
  /// are there of that draft. The live one, if there is one.
  func makeOwnContext(draft: String) throws(DraftError) -> any OwnContext
  /// The live context under this one that has a draft.
  func liveOwnContext(draft: String) -> (any OwnContext)?
}

/// A node's own context.
package protocol OwnContext: ContextHost {
  var hasChanges: Bool { get }
  /// The node whose own it is: one at most, or to cancel in one would discard what was typed in another. Not held.
  var owner: AnyObject? { get set }
}

extension EditingContext: OwnContext {
  package func makeOwnContext(draft: String) throws(DraftError) -> any OwnContext {
    try child(withDraft: draft, .resume)
  }
  package func liveOwnContext(draft: String) -> (any OwnContext)? { liveChildren.first { $0.draftID == draft } }
}
