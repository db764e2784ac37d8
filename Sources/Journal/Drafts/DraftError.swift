import RepriseLog
import RepriseObjectModel

/// The reason why a context could not resume or begin a draft.
///
/// The calls that begin a draft throw it: `makeChild(draft:ifPresent:)`, and the initialiser of `RootContext` with a
/// draft. `RootContext.draftFailure` has it for `Store.mainContext`, and for contexts that were made before their store
/// was open.
@nonexhaustive
public enum DraftError: RepriseError {
  /// The draft's ID is empty or longer than 4,096 bytes.
  ///
  /// The calls that begin a draft throw it. Choose another ID.
  case invalidID(String)
  /// A live context has the draft, in this process or another.
  ///
  /// The calls that begin a draft throw it, and so does `Drafts.discard(_:)`. End that context, or choose another ID.
  case inUse(String)
  /// The draft exists, and `ifPresent` is `.fail`.
  ///
  /// The calls that begin a draft throw it. Resume or replace the draft.
  case present(String)
  /// The parent context has no draft, so its child cannot have one. The draft of a child contains only the child's
  /// edits. After a restart, the edits of the parent would be missing below them.
  ///
  /// `makeChild` throws it. Give the parent a draft, too.
  case parentWithoutDraft(String)
  /// The draft cannot be read with this process's models, or other users may have written its journal.
  ///
  /// The calls that begin a draft throw it, unless they replace the draft. The store keeps the draft. The reason says
  /// how to recover.
  case unreadable(String, reason: String)
  /// The store could not be read or written.
  ///
  /// The calls that begin a draft throw it, and so does `Drafts.discard(_:)`. The ``StoreError`` says how to recover.
  case store(StoreError)
}

extension DraftError: CustomStringConvertible {
  /// The failure, its cause, and the next step.
  public var description: String {
    switch self {
    case .invalidID(let id): "'\(id.prefix(40))' cannot be a draft's ID. Use a text of 1 to 4,096 bytes."
    case .inUse(let id):
      "The draft '\(id)' is in use by another context, in this process or another one. End that context, or choose "
        + "another ID for this draft."
    case .present(let id): "There is already a draft '\(id)'. Resume or replace it (`ifPresent`), or choose another ID."
    case .parentWithoutDraft(let id):
      "The draft '\(id)' was not begun, because its parent is a child context without a draft. Give the parent a "
        + "draft, too."
    case .unreadable(let id, let reason):
      "The draft '\(id)' cannot be read, and the store keeps it: \(reason)."
    case .store(let error): error.description
    }
  }
}
