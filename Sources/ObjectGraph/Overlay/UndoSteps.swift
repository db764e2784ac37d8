import RepriseEventStore

/// The undo and redo stacks of an overlay.
///
/// The steps of a recovered draft are decoded on the first access. For a long text, each step costs its length, and
/// restoring a screen needs no steps.
struct UndoSteps {
  /// The recovered steps below `recorded`, still encoded. `nil` once they are decoded.
  private var kept: DraftImage?
  private var recorded = RecordedSteps()
  /// The steps to redo; the last one is redone next. After these come the redo steps in `kept`, unless
  /// `forgetsKeptRedo`.
  private var undone: [DraftGroup] = []
  private var forgetsKeptRedo = false

  init() {}

  init(_ image: DraftImage) {
    if image.groupCount + image.redoCount > 0 { kept = image }
  }

  /// How many steps can be undone.
  var count: Int { (kept?.groupCount ?? 0) + recorded.count }

  var canRedo: Bool {
    if !undone.isEmpty { return true }
    if let kept, !forgetsKeptRedo { return kept.redoCount > 0 }
    return false
  }

  var isEmpty: Bool { count == 0 && !canRedo }

  /// The number of first steps that revert a transaction of the log. O(1).
  var reversalCount: Int {
    guard let kept else { return recorded.reversalCount }
    return kept.reversals.count < kept.groupCount
      ? kept.reversals.count : kept.reversals.count + recorded.reversalCount
  }

  /// Whether all steps revert transactions of the log. Also true without steps.
  var areReversals: Bool { reversalCount == count }

  /// The transaction of the log that the last step reverts, if all steps are reversals.
  var lastReversal: Reversal? {
    guard areReversals else { return nil }
    return recorded.isEmpty ? kept?.reversals.last : recorded.lastReversal
  }

  /// Whether there is a step for ``undo()``. A step that an undo staged can only be redone.
  var canUndo: Bool { count > 0 && lastReversal?.origin != .undo }

  /// The name of the step to be undone next.
  var undoName: String? { recorded.isEmpty ? kept?.lastGroupName : recorded.lastName }

  /// The name of the step to be redone next. Decodes the recovered steps if it is one of them.
  var redoName: String? {
    if let last = undone.last { return last.name }
    guard let kept, !forgetsKeptRedo, kept.redoCount > 0 else { return nil }
    return kept.history.redo.last?.name
  }

  /// Oldest first. Decodes the recovered steps.
  var groups: [DraftGroup] { (kept?.groups ?? []) + recorded.groups }

  /// The names of the steps to undo, the next one first. Decodes the recovered steps.
  var undoNames: [String?] { canUndo ? groups.reversed().map(\.name) : [] }

  /// The names of the steps to redo, the next one first. Decodes the recovered steps.
  var redoNames: [String?] {
    let earlier = forgetsKeptRedo ? [] : kept?.history.redo ?? []
    return (earlier + undone).reversed().map(\.name)
  }

  /// Adds an edit to the last step, or begins a new step.
  mutating func record(_ edit: DraftEdit, startsGroup: Bool, name: String?, reversal: Reversal?) {
    if reversal?.origin != .undo {
      forgetRedo()
    } else if startsGroup {
      undone.append(DraftGroup(name: name, reversal: reversal))
    }
    if !startsGroup && recorded.isEmpty { load() }
    recorded.append(edit, startsGroup: startsGroup || recorded.isEmpty, name: name, reversal: reversal)
  }

  mutating func forgetRedo() {
    undone.removeAll()
    forgetsKeptRedo = true
  }

  /// Appends the steps of the layer above.
  mutating func append(_ upper: UndoSteps) {
    guard !upper.isEmpty else { return }
    var upper = upper
    upper.load()
    for group in upper.recorded.groups { recorded.append(group) }
    undone = upper.undone
    forgetsKeptRedo = true
  }

  /// Moves the last step to the redo stack and returns it.
  mutating func undo() -> DraftGroup? {
    if recorded.isEmpty { load() }
    guard let group = recorded.popLast() else { return nil }
    undone.append(group)
    return group
  }

  /// The edits of the last step, if recorded since the draft was resumed.
  var lastEdits: ArraySlice<DraftEdit> { recorded.lastEdits }

  /// Whether the last step, if recorded since the draft was resumed, is typing that returned to its first value. O(1).
  var lastEndsWhereItBegan: Bool { recorded.lastEndsWhereItBegan }

  /// Whether the last step, if recorded since the draft was resumed, has no net change. Inlined, because otherwise each
  /// group copies the steps.
  @inline(__always) var lastIsNothing: Bool { recorded.lastIsNothing }

  /// Moves the step undone last back to the undo stack, and returns it. If that step was an undo of a transaction, it
  /// had staged a step. Then `redo` removes the staged step and returns it, and the caller must undo its edits.
  mutating func redo() -> (group: DraftGroup, isForward: Bool)? {
    if undone.isEmpty { load() }
    guard let group = undone.popLast() else { return nil }
    if group.isMark {
      if recorded.isEmpty { load() }
      return recorded.popLast().map { ($0, false) }
    }
    recorded.append(group)
    return (group, true)
  }

  /// Replaces all steps.
  mutating func replace(with groups: [DraftGroup]) {
    self = UndoSteps()
    for group in groups {
      recorded.append(group)
      if let reversal = group.reversal, reversal.origin == .undo {
        undone.append(DraftGroup(name: group.name, reversal: reversal))
      }
    }
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
