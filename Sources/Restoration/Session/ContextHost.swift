import RepriseEventStore
import RepriseObjectGraph

/// What the own contexts of nodes are made under.
package protocol ContextHost: AnyObject {
  /// A context for editing under this one, whose edits survive the process under the draft's ID; with the edits that
  /// are there of that draft.
  func makeOwnContext(draft: String) throws(DraftError) -> any OwnContext
}

/// A node's own context.
package protocol OwnContext: ContextHost {
  var hasChanges: Bool { get }
}

extension EditingContext: OwnContext {
  package func makeOwnContext(draft: String) throws(DraftError) -> any OwnContext { try makeChild(draft: draft) }
}
