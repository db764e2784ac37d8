import RepriseJournal
import RepriseLog
import RepriseObjectModel

/// A context's request to the writer: net changes, and the position that they are based on.
package struct SaveRequest: Sendable {
  /// The most events in one save.
  package static let limit = 100_000

  /// Identifies the transaction in every copy of the log. With it, appending the transaction twice is harmless.
  package let id: UniqueID
  package let base: Position
  package let author: String?
  package let contextName: String?
  package let name: String?
  package let metadata: [String: String]
  /// The date of the transactions. `nil` for the time of the clock.
  package let wallTime: Int64?
  package let changes: [(object: AnyObjectID, change: ObjectChange)]
  /// The transactions of a save with several of them, or of a reversal. Their changes add up to `changes`. One commit
  /// appends all of them or none.
  package let parts: [Part]
  package let merging: Merging
  /// The head that the request depends on. If the head is another one, the writer refuses the save.
  package let head: Position?
  /// The journalled drafts of these changes, obsolete once the changes are in the log. These are the context's own, and
  /// the drafts of children, at any depth, that were saved into it.
  package let drafts: [FrozenDraft]
  /// The context's observer of the head.
  package let observer: Int?

  package init(
    id: UniqueID = UniqueID(), base: Position, author: String? = nil, contextName: String? = nil, name: String? = nil,
    metadata: [String: String] = [:], wallTime: Int64? = nil, changes: [(object: AnyObjectID, change: ObjectChange)],
    parts: [Part] = [],
    merging: Merging = Merging(), head: Position? = nil, drafts: [FrozenDraft] = [], observer: Int? = nil
  ) {
    self.id = id
    self.base = base
    self.author = author
    self.contextName = contextName
    self.name = name
    self.metadata = metadata
    self.wallTime = wallTime
    self.changes = changes
    self.parts = parts
    self.merging = merging
    self.head = head
    self.drafts = drafts
    self.observer = observer
  }
}

extension SaveRequest {
  /// One transaction of a save.
  package struct Part: Sendable {
    package let name: String?
    package let reversal: Reversal?
    package let changes: [(object: AnyObjectID, change: ObjectChange)]

    package init(name: String?, reversal: Reversal?, changes: [(object: AnyObjectID, change: ObjectChange)]) {
      self.name = name
      self.reversal = reversal
      self.changes = changes
    }
  }

  /// A part as a request. The first part keeps the ID of the save, because one transaction is enough to find the save.
  func alone(_ part: Part, isFirst: Bool) -> SaveRequest {
    SaveRequest(
      id: isFirst ? id : UniqueID(), base: base, author: author, contextName: contextName, name: part.name,
      metadata: metadata, wallTime: wallTime, changes: part.changes, parts: [part], merging: merging)
  }
}

/// The part of a draft that a save consumes.
package struct FrozenDraft: Sendable {
  package let draft: JournalTopic
  /// The last generation of edits that the save consumes.
  package let generation: UInt64
  /// Whether an earlier context made some of the draft's edits. Edits taken over from children's drafts are only in the
  /// journal, which must survive a power cut if this save does.
  package let isResumed: Bool

  package init(_ draft: JournalTopic, generation: UInt64, isResumed: Bool = false) {
    self.draft = draft
    self.generation = generation
    self.isResumed = isResumed
  }
}
