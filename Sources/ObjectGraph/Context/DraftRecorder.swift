import RepriseEventStore
import RepriseObjectModel

/// Writes what happens to a context's overlay into the journal, so that it survives the process.
///
/// Every step is handed to the journal as it is made; the journal writes it within its time limit. Steps and screens of
/// one turn stand in one frame.
struct DraftRecorder {
  let id: String
  /// Counts the saves of the draft: a save takes the edits of all generations up to the one it froze.
  private(set) var generation: UInt64
  private let journal: Journal
  private var header: DraftHeader
  /// Whether the store knows the draft: from an earlier context, or since the first edit here.
  private var isBegun: Bool
  /// Whether some of it is from an earlier context.
  private var isResumed: Bool
  /// How many edits from here on say who they belong to.
  private var editsWithoutHeader = DraftRecorder.headerInterval

  /// So many edits may stand behind one header: what damage takes of a draft's headers, the next one has again.
  private static let headerInterval = 64

  /// - Parameter isBegun: Whether there are edits of it already.
  init(_ header: DraftHeader, isBegun: Bool, journal: Journal) {
    id = header.id
    self.header = header
    generation = journal.nextGeneration()
    self.isBegun = isBegun
    isResumed = isBegun
    self.journal = journal
  }

  private mutating func beginning() -> [JournalEntry] {
    editsWithoutHeader += 1
    if isBegun && editsWithoutHeader < Self.headerInterval { return [] }
    isBegun = true
    editsWithoutHeader = 0
    return [.draftBegan(header, generation: generation)]
  }

  private func entry(_ edit: DraftEdit, startsGroup: Bool, name: String?) -> JournalEntry {
    .draftEdited(draft: id, generation: generation, startsGroup: startsGroup, groupName: name, edit)
  }

  private func entries(_ group: DraftGroup, startsGroup: Bool = true) -> [JournalEntry] {
    group.edits.enumerated().map { entry($1, startsGroup: startsGroup && $0 == 0, name: group.name) }
  }

  /// In one frame with what else this turn does.
  private func append(_ entries: [JournalEntry], in context: EditingContext) {
    context.holdTurn()
    journal.append(entries)
  }

  mutating func edited(_ edit: DraftEdit, startsGroup: Bool, name: String?, in context: EditingContext) {
    append(beginning() + [entry(edit, startsGroup: startsGroup, name: name)], in: context)
  }

  func undone(in context: EditingContext) { append([.draftUndone(draft: id)], in: context) }
  func redone(in context: EditingContext) { append([.draftRedone(draft: id)], in: context) }

  /// The last steps were taken back for good.
  ///
  /// - Parameter object: One that they changed: an edit of it that changes nothing lets the journal forget the redo.
  func takenBack(_ steps: Int, at object: AnyObjectID, in context: EditingContext) {
    let nothing = DraftEdit(object: object, change: .updated([]))
    append(
      (0..<steps).map { _ in .draftUndone(draft: id) }
        + [entry(nothing, startsGroup: false, name: nil)], in: context)
  }

  /// What was uncommitted is gone.
  ///
  /// - Parameter steps: How many steps lie above what is being saved, which the draft must keep until it is; `nil` if
  ///   nothing is being saved.
  mutating func empty(undoing steps: Int? = nil, in context: EditingContext) {
    guard isBegun else { return }
    append(emptying(steps), in: context)
  }

  private mutating func emptying(_ steps: Int?) -> [JournalEntry] {
    if let steps { return (0..<steps).map { _ in .draftUndone(draft: id) } }
    defer { generation = journal.nextGeneration() }
    return [.draftEmptied(draft: id, upTo: generation)]
  }

  /// The overlay is another one now: what stood there is gone, and it stands there as one step.
  /// `steps` as in ``empty(undoing:in:)``.
  mutating func rewritten(_ overlay: Overlay, undoing steps: Int?, in context: EditingContext) {
    var entries = beginning() + emptying(steps)
    for group in overlay.steps.groups { entries += self.entries(group) }
    append(entries, in: context)
  }

  /// A save into the log takes the draft as it is; later edits belong to the next generation.
  mutating func freeze() -> FrozenDraft? {
    guard isBegun else { return nil }
    defer { generation = journal.nextGeneration() }
    return FrozenDraft(id: id, generation: generation, isResumed: isResumed)
  }

  /// The save is in the log.
  mutating func saved(_ frozen: FrozenDraft) {
    isResumed = false
    journal.append([.draftEmptied(draft: id, upTo: frozen.generation)])
  }

  mutating func rebased(to base: Position) {
    header.base = base
    if isBegun { journal.append([.draftRebased(draft: id, base: base)]) }
  }

  /// A child's changes went into its parent: one frame takes them out of the one draft and into the other, so that no
  /// kill finds them twice or nowhere. Returns what was taken out of the child's.
  static func moved(
    _ step: CollectedStep, from child: ChildContext, to parent: EditingContext
  ) -> FrozenDraft? {
    guard let journal = (parent.draft ?? child.draft)?.journal else { return nil }
    var taken: FrozenDraft?
    var entries: [JournalEntry] = []
    if !step.group.edits.isEmpty, let beginning = parent.draft?.beginning(), let draft = parent.draft {
      entries = beginning + draft.entries(step.group, startsGroup: step.startsGroup)
    }
    if let draft = child.draft, draft.isBegun {
      entries.append(.draftEmptied(draft: draft.id, upTo: draft.generation))
      taken = FrozenDraft(id: draft.id, generation: draft.generation, isResumed: draft.isResumed)
      child.draft?.generation = journal.nextGeneration()
      child.draft?.isResumed = false
    }
    parent.holdTurn()
    journal.append(entries)
    return taken
  }
}
