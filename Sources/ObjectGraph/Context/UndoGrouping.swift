import RepriseEventStore
import RepriseObjectModel

/// Decides which undo step the next edit belongs to.
struct UndoGrouping {
  private var depth = 0
  private var groupName: String?
  private var groupReversal: Reversal?
  private var isNew = false
  /// How many steps the current group has recorded.
  private(set) var steps = 0
  private var lastEdit: Edit?

  private struct Edit {
    let object: AnyObjectID
    let slot: Int
    /// The effect of the last edit on a text. `nil` if it is unknown.
    var typing: Typing?
    var time = Duration.zero
  }

  var isInGroup: Bool { depth > 0 }
  var isOutermost: Bool { depth == 1 }
  /// The name of the step.
  var name: String? { isInGroup ? groupName : nil }
  /// The transaction of the log that the step reverts.
  var reversal: Reversal? { isInGroup ? groupReversal : nil }

  mutating func begin(_ name: String?, _ reversal: Reversal? = nil) {
    if depth == 0 {
      groupName = name
      groupReversal = reversal
      isNew = true
      steps = 0
    }
    depth += 1
  }

  mutating func end() {
    depth -= 1
    if depth == 0 { lastEdit = nil }
  }

  /// Whether an edit begins a new step rather than joining the last one.
  mutating func beginsStep(_ id: AnyObjectID, _ change: ObjectChange, _ coalescing: UndoCoalescing) -> Bool {
    let last = lastEdit
    lastEdit = nil
    if isInGroup {
      defer { isNew = false }
      if isNew { steps += 1 }
      return isNew
    }
    guard case .updated(let changes) = change, changes.count == 1 else { return true }
    var edit = Edit(object: id, slot: changes[0].slot)
    switch coalescing.rule {
    case .never: return true
    case .byProperty:
      lastEdit = edit
      return last.map { $0.object != id || $0.slot != edit.slot } ?? true
    case .byWord(let pause, let now):
      edit.typing = Typing(from: changes[0].old, to: changes[0].new)
      edit.time = now()
      lastEdit = edit
      guard let last, last.object == id, last.slot == edit.slot, edit.time - last.time < pause else { return true }
      if let typing = edit.typing, let previous = last.typing { return !typing.continues(previous) }
      return changes[0].isOfText
    }
  }

  /// Prevents later edits from joining the last step, which has changed.
  mutating func breakStep() {
    lastEdit = nil
    isNew = true
  }

  /// Forgets the group's steps, which are no longer the last ones of this overlay.
  mutating func forgetSteps() { steps = 0 }
}

/// The step that a child's save becomes in its parent.
struct CollectedStep {
  /// Whether the edits are a separate step, or join the parent's last step.
  private(set) var startsGroup = true
  private(set) var group = DraftGroup()

  mutating func add(_ edit: DraftEdit, startsGroup: Bool, name: String?) {
    if group.edits.isEmpty {
      self.startsGroup = startsGroup
      group.name = name
    }
    group.edits.append(edit)
  }
}

extension PropertyChange {
  fileprivate var isOfText: Bool {
    if case .string = old { return true }
    if case .string = new { return true }
    return false
  }
}
