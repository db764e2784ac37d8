/// Why a context could not resume or begin a draft.
public enum DraftError: RepriseError {
  /// The draft's ID is empty or longer than 4,096 bytes.
  case invalidID(String)
  /// A live context has the draft, in this process or another.
  case inUse(String)
  /// The draft exists, and `ifPresent` is `.fail`.
  case present(String)
  /// A child's draft needs a parent with a draft, because its base would otherwise be lost at a relaunch.
  case parentWithoutDraft(String)
  /// The draft cannot be read: with this process's models, or because other users may have written the journal that it
  /// is in. It is kept, and the reason says what to do.
  case unreadable(String, reason: String)
  /// The store could not be read.
  case store(StoreError)
}

extension DraftError: CustomStringConvertible {
  /// What happened and what to do next.
  public var description: String {
    switch self {
    case .invalidID(let id): "'\(id.prefix(40))' cannot be a draft's ID: use 1 to 4,096 bytes of text."
    case .inUse(let id): "The draft '\(id)' is in use by a live context. End that one, or choose another ID."
    case .present(let id): "There is a draft '\(id)' already. Resume it, or replace it."
    case .parentWithoutDraft(let id):
      "The draft '\(id)' cannot be under a child context without a draft. Give the parent a draft too."
    case .unreadable(let id, let reason):
      "The draft '\(id)' cannot be read: \(reason). It is kept."
    case .store(let error): error.description
    }
  }
}
