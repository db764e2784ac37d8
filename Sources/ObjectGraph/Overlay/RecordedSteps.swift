import RepriseEventStore

/// Steps one after the other, oldest first: one array of edits, and where in it each step begins. Most steps are one
/// edit, for which an array of its own would be much.
struct RecordedSteps {
  private struct Step {
    let name: String?
    let start: Int
  }

  private var steps: [Step] = []
  private var edits: [DraftEdit] = []

  var count: Int { steps.count }
  var isEmpty: Bool { steps.isEmpty }
  var lastName: String? { steps.last?.name }

  var groups: [DraftGroup] {
    steps.indices.map { index in
      let end = index + 1 < steps.count ? steps[index + 1].start : edits.count
      return DraftGroup(name: steps[index].name, edits: Array(edits[steps[index].start..<end]))
    }
  }

  /// Adds to the last step, or begins a new one.
  mutating func append(_ edit: DraftEdit, startsGroup: Bool, name: String?) {
    if startsGroup { steps.append(Step(name: name, start: edits.count)) }
    edits.append(edit)
  }

  mutating func append(_ group: DraftGroup) {
    steps.append(Step(name: group.name, start: edits.count))
    edits += group.edits
  }

  mutating func popLast() -> DraftGroup? {
    guard let step = steps.popLast() else { return nil }
    let group = DraftGroup(name: step.name, edits: Array(edits[step.start...]))
    edits.removeLast(edits.count - step.start)
    return group
  }
}
