/// Entries that a journal refused to record, until a later entry makes them irrelevant.
struct JournalRefusals: Sendable {
  private enum Subject: Hashable {
    case draft(String)
    case node(scene: String, key: String)
  }

  private var errors: [Subject: JournalError] = [:]

  var first: JournalError? { errors.values.first }

  mutating func add(_ error: JournalError, _ entry: JournalEntry) {
    if let draft = entry.draft {
      errors[.draft(draft)] = error
    } else if case .nodePut(let scene, let key, _) = entry {
      errors[.node(scene: scene, key: key)] = error
    }
  }

  /// Forgets refusals that a recorded entry makes irrelevant.
  mutating func settle(_ entry: JournalEntry) {
    if errors.isEmpty { return }
    switch entry {
    case .draftEmptied(let draft, _), .draftEnded(let draft): errors[.draft(draft)] = nil
    case .nodePut(let scene, let key, _), .nodeRemoved(let scene, let key):
      errors[.node(scene: scene, key: key)] = nil
    case .sceneCleared(let scene):
      errors = errors.filter { subject, _ in
        if case .node(scene, _) = subject { false } else { true }
      }
    case .draftBegan, .draftEdited, .draftUndone, .draftRedone, .draftRebased: break
    }
  }
}
