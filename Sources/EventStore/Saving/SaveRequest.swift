import RepriseObjectModel

/// What a context asks the writer to append: net changes, and the position that they rest on.
package struct SaveRequest: Sendable {
  /// Names the transaction wherever it goes, and makes appending it twice harmless.
  package let id: UniqueID
  package let base: Position
  package let author: String?
  package let contextName: String?
  package let name: String?
  package let changes: [(object: AnyObjectID, change: ObjectChange)]
  package let merging: Merging
  /// What the journal keeps of these changes, and need not keep once they are in the log: of the context's own draft,
  /// and of those of children, at any depth, that were saved into it.
  package let drafts: [FrozenDraft]

  package init(
    id: UniqueID = UniqueID(), base: Position, author: String? = nil, contextName: String? = nil, name: String? = nil,
    changes: [(object: AnyObjectID, change: ObjectChange)], merging: Merging = Merging(), drafts: [FrozenDraft] = []
  ) {
    self.id = id
    self.base = base
    self.author = author
    self.contextName = contextName
    self.name = name
    self.changes = changes
    self.merging = merging
    self.drafts = drafts
  }
}

/// The part of a draft that a save takes out of it.
package struct FrozenDraft: Sendable, Hashable {
  package let id: String
  /// All edits of the draft up to this generation.
  package let generation: UInt64
  /// Whether an earlier context made some of it. What that took from drafts of children is in the journal alone, which
  /// must survive a power cut if this save does.
  package let isResumed: Bool

  package init(id: String, generation: UInt64, isResumed: Bool = false) {
    self.id = id
    self.generation = generation
    self.isResumed = isResumed
  }
}
