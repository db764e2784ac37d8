import RepriseEventStore

/// The steps of an overlay, in the order they were made: what undo takes back one by one, and what redo does again.
///
/// The steps of a draft that a journal kept are decoded when the first of them is asked for: in a long text that costs
/// its length for each step, and a restored screen needs none of them.
struct UndoSteps {
  /// What lies below `recorded`, as the journal kept it; `nil` once it is decoded.
  private var kept: DraftImage?
  private var recorded = RecordedSteps()
  /// The next to be redone last. While `kept` is there, its own lie below these unless they are forgotten.
  private var undone: [DraftGroup] = []
  private var forgetsKeptRedo = false

  init() {}

  init(_ image: DraftImage) {
    if image.groupCount + image.redoCount > 0 { kept = image }
  }

  /// How many can be undone.
  var count: Int { (kept?.groupCount ?? 0) + recorded.count }

  var canRedo: Bool {
    if !undone.isEmpty { return true }
    if let kept, !forgetsKeptRedo { return kept.redoCount > 0 }
    return false
  }

  var isEmpty: Bool { count == 0 && !canRedo }

  /// The name of the step that is undone next.
  var undoName: String? { recorded.isEmpty ? kept?.lastGroupName : recorded.lastName }

  /// Oldest first. Decodes what the journal kept.
  var groups: [DraftGroup] { (kept?.groups ?? []) + recorded.groups }

  /// Adds to the last step, or begins a new one.
  mutating func record(_ edit: DraftEdit, startsGroup: Bool, name: String?) {
    forgetRedo()
    if !startsGroup && recorded.isEmpty { load() }
    recorded.append(edit, startsGroup: startsGroup || recorded.isEmpty, name: name)
  }

  mutating func forgetRedo() {
    undone.removeAll()
    forgetsKeptRedo = true
  }

  /// Puts the steps of a layer above on top of these.
  mutating func append(_ upper: UndoSteps) {
    guard !upper.isEmpty else { return }
    var upper = upper
    upper.load()
    for group in upper.recorded.groups { recorded.append(group) }
    undone = upper.undone
    forgetsKeptRedo = true
  }

  /// The step to take back, which can be redone from now on.
  mutating func undo() -> DraftGroup? {
    if recorded.isEmpty { load() }
    guard let group = recorded.popLast() else { return nil }
    undone.append(group)
    return group
  }

  /// Whether the last step, recorded since the draft was taken up, is one of typing that ended where it began. O(1).
  var lastEndsWhereItBegan: Bool { recorded.lastEndsWhereItBegan }

  /// Whether the last step, recorded since the draft was taken up, changes nothing in all.
  var lastIsNothing: Bool { recorded.lastIsNothing }

  /// The step to do again, which can be undone from now on.
  mutating func redo() -> DraftGroup? {
    if undone.isEmpty { load() }
    guard let group = undone.popLast() else { return nil }
    recorded.append(group)
    return group
  }

  /// All become one.
  mutating func replace(with edits: [DraftEdit]) {
    self = UndoSteps()
    if !edits.isEmpty { recorded.append(DraftGroup(name: nil, edits: edits)) }
  }

  private mutating func load() {
    guard let image = kept else { return }
    kept = nil
    let history = image.history
    let later = recorded.groups
    recorded = RecordedSteps()
    for group in history.groups + later { recorded.append(group) }
    if !forgetsKeptRedo { undone = history.redo + undone }
  }
}
