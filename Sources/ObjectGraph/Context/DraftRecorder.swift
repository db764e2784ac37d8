import RepriseEventStore
import RepriseObjectModel

/// Records a context's overlay in the journal, so that it survives the process.
///
/// Every step is appended to the journal as it is made. The journal writes it within its time limit. The steps and
/// screens of one turn share a frame.
// A class: each read of an object asks for its context's recorder, and the copy of an optional struct needs its type.
final class DraftRecorder {
  let topic: JournalTopic
  var id: String { topic.name }
  /// The epoch of new edits: a save consumes the edits of all generations up to the one that it froze.
  private(set) var generation: UInt64
  private let journal: Journal
  private var header: DraftHeader
  /// Whether the journal has the draft: from an earlier context, or since the first edit here.
  private var isBegun: Bool
  /// Whether the draft has edits from an earlier context.
  private var isResumed: Bool
  /// The number of edits since the last header. The first edit after the beginning of a save, or after a discard, also
  /// writes a header.
  private var editsWithoutHeader = DraftRecorder.headerInterval

  /// The header is repeated after this many edits, so that a draft whose header is lost to damage gets it back.
  private static let headerInterval = 64

  /// - Parameter isBegun: Whether the draft already has edits.
  init(_ topic: JournalTopic, _ header: DraftHeader, isBegun: Bool, journal: Journal) {
    self.topic = topic
    self.header = header
    generation = journal.nextGeneration()
    self.isBegun = isBegun
    isResumed = isBegun
    self.journal = journal
  }

  private func beginning() -> [JournalEntry] {
    editsWithoutHeader += 1
    if isBegun && editsWithoutHeader < Self.headerInterval { return [] }
    isBegun = true
    editsWithoutHeader = 0
    return [.draftBegan(header, generation: generation)]
  }

  private func entry(
    _ edit: DraftEdit, startsGroup: Bool, name: String?, reversal: Reversal? = nil
  ) -> JournalEntry {
    .draftEdited(
      draft: id, generation: generation, startsGroup: startsGroup, groupName: name, reversal: reversal, edit)
  }

  private func entries(_ group: DraftGroup, startsGroup: Bool = true) -> [JournalEntry] {
    group.edits.enumerated().map {
      entry($1, startsGroup: startsGroup && $0 == 0, name: group.name, reversal: group.reversal)
    }
  }

  /// Appends entries in one frame with the turn's other entries.
  private func append(_ entries: [JournalEntry], in context: EditingContext) {
    context.holdTurn()
    journal.append(entries)
  }

  func edited(
    _ edit: DraftEdit, startsGroup: Bool, name: String?, reversal: Reversal?, in context: EditingContext
  ) {
    append(beginning() + [entry(edit, startsGroup: startsGroup, name: name, reversal: reversal)], in: context)
  }

  func undone(in context: EditingContext) { append([.draftUndone(draft: id)], in: context) }
  func redone(in context: EditingContext) { append([.draftRedone(draft: id)], in: context) }

  /// The last `steps` steps were removed.
  ///
  /// - Parameter object: An object that these steps changed. An empty edit of this object makes the journal forget the
  ///   steps to redo.
  func takenBack(_ steps: Int, at object: AnyObjectID, in context: EditingContext) {
    if !context.isSaving, context.overlay.isPristine { return append(ending(), in: context) }
    let nothing = DraftEdit(object: object, change: .updated([]))
    append(
      (0..<steps).map { _ in .draftUndone(draft: id) }
        + [entry(nothing, startsGroup: false, name: nil)], in: context)
  }

  /// The uncommitted changes were discarded.
  ///
  /// - Parameter steps: The number of steps after the changes of the current save. The draft must keep these changes
  ///   until the save ends. `nil` if there is no current save.
  func empty(undoing steps: Int? = nil, in context: EditingContext) {
    guard isBegun else { return }
    append(steps == nil ? ending() : emptying(steps), in: context)
  }

  /// Nothing of the draft is left. The next edit begins it again.
  private func ending() -> [JournalEntry] {
    (isBegun, isResumed) = (false, false)
    editsWithoutHeader = Self.headerInterval
    generation = journal.nextGeneration()
    return [.draftEnded(draft: id)]
  }

  private func emptying(_ steps: Int?) -> [JournalEntry] {
    if let steps { return (0..<steps).map { _ in .draftUndone(draft: id) } }
    defer { generation = journal.nextGeneration() }
    return [.draftEmptied(draft: id, upTo: generation)]
  }

  /// The overlay was rewritten: its changes in the draft are replaced by one step. `steps` is as in
  /// ``empty(undoing:in:)``.
  func rewritten(_ overlay: Overlay, undoing steps: Int?, in context: EditingContext) {
    if steps == nil, overlay.isPristine { return empty(in: context) }
    append(beginning() + emptying(steps) + entries(overlay), in: context)
  }

  /// The context has these additional steps.
  func added(_ overlay: Overlay, in context: EditingContext) {
    append(beginning() + entries(overlay), in: context)
  }

  private func entries(_ overlay: Overlay) -> [JournalEntry] { overlay.steps.groups.flatMap { entries($0) } }

  /// Freezes the draft for a save into the log. Later edits belong to the next generation.
  func freeze() -> FrozenDraft? {
    guard isBegun else { return nil }
    editsWithoutHeader = Self.headerInterval
    defer { generation = journal.nextGeneration() }
    return FrozenDraft(topic, generation: generation, isResumed: isResumed)
  }

  /// The save of the frozen draft is in the log.
  ///
  /// - Parameter isAll: Whether there are no later steps.
  func saved(_ frozen: FrozenDraft, isAll: Bool) {
    isResumed = false
    journal.append(isAll ? ending() : [.draftEmptied(draft: id, upTo: frozen.generation)])
  }

  func rebased(to base: Position, hash: UInt64) {
    (header.base, header.baseHash) = (base, hash)
    if isBegun { journal.append([.draftRebased(draft: id, base: base, hash: hash)]) }
  }

  /// A child's changes moved into its parent. One frame removes them from one draft and adds them to the other, so that
  /// a kill neither duplicates nor loses them. Returns the part that left the child's draft.
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
      taken = FrozenDraft(draft.topic, generation: draft.generation, isResumed: draft.isResumed)
      entries += child.draft?.ending() ?? []
    }
    parent.holdTurn()
    journal.append(entries)
    return taken
  }
}
