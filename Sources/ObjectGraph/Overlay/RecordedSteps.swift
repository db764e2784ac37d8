import RepriseEventStore
import RepriseObjectModel

/// Steps in chronological order: one array of all edits, and the index at which each step begins. Most steps have one
/// edit, so a separate array for each would be wasteful.
struct RecordedSteps {
  private struct Step {
    let name: String?
    let reversal: Reversal?
    let start: Int
  }

  private var steps: [Step] = []
  private var edits: [DraftEdit] = []
  /// The number of first steps that revert a transaction of the log.
  private(set) var reversalCount = 0

  var count: Int { steps.count }
  var isEmpty: Bool { steps.isEmpty }
  var lastName: String? { steps.last?.name }
  var lastReversal: Reversal? { steps.last?.reversal }

  var groups: [DraftGroup] {
    steps.indices.map { index in
      let end = index + 1 < steps.count ? steps[index + 1].start : edits.count
      return DraftGroup(
        name: steps[index].name, edits: Array(edits[steps[index].start..<end]), reversal: steps[index].reversal)
    }
  }

  /// The edits of the last step.
  var lastEdits: ArraySlice<DraftEdit> { steps.last.map { edits[$0.start...] } ?? [] }

  /// Whether the last step begins and ends with edits of one property that return it to its first value. O(1).
  var lastEndsWhereItBegan: Bool {
    guard let step = steps.last, step.start < edits.count - 1, let last = edits.last,
      case .updated(let began) = edits[step.start].change, case .updated(let ended) = last.change,
      began.count == 1, ended.count == 1
    else { return false }
    return edits[step.start].object == last.object && began[0].slot == ended[0].slot
      && began[0].old.isIdentical(to: ended[0].new)
  }

  /// Whether the edits of the last step cancel out. One edit never does.
  @inline(__always) var lastIsNothing: Bool {
    if steps.isEmpty || steps[steps.count - 1].start >= edits.count - 1 { return false }
    return cancelOut(edits[steps[steps.count - 1].start...])
  }

  private func cancelOut(_ edits: ArraySlice<DraftEdit>) -> Bool {
    guard let first = edits.first?.object else { return true }
    // Most steps have a net change of their first object, so their other objects need no check.
    if Self.net(edits.lazy.filter { $0.object == first })[first] != nil { return false }
    return Self.net(edits).isEmpty
  }

  static func net(_ edits: some Sequence<DraftEdit>) -> ObjectMap<ObjectChange> {
    var changes = ObjectMap<ObjectChange>()
    for edit in edits {
      changes.update(edit.object) { change in change.map { $0.followed(by: edit.change) } ?? edit.change }
    }
    return changes
  }

  /// Adds an edit to the last step, or begins a new step.
  mutating func append(_ edit: DraftEdit, startsGroup: Bool, name: String?, reversal: Reversal? = nil) {
    if startsGroup { begin(name, reversal) }
    edits.append(edit)
  }

  mutating func append(_ group: DraftGroup) {
    begin(group.name, group.reversal)
    edits += group.edits
  }

  private mutating func begin(_ name: String?, _ reversal: Reversal?) {
    if reversal != nil, reversalCount == steps.count { reversalCount += 1 }
    steps.append(Step(name: name, reversal: reversal, start: edits.count))
  }

  mutating func popLast() -> DraftGroup? {
    guard let step = steps.popLast() else { return nil }
    reversalCount = min(reversalCount, steps.count)
    let group = DraftGroup(name: step.name, edits: Array(edits[step.start...]), reversal: step.reversal)
    edits.removeLast(edits.count - step.start)
    return group
  }
}
