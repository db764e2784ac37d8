import RepriseLog
import RepriseObjectModel

/// Undo and redo of a draft, with whole values before and after each edit.
package struct DraftHistory: Sendable {
  /// Oldest first.
  package private(set) var groups: [DraftGroup] = []
  /// The last is the next to be redone.
  package private(set) var redo: [DraftGroup] = []
  package private(set) var problems: [JournalProblem] = []

  init(_ state: DraftReplay, _ map: SchemaMap) {
    state.bytes.lend { lent in
      problems = state.forEachGroup(map, lent) { (_, group, steps) throws(MalformedBytes) in
        groups.append(try Self.group(group, steps, map, lent))
      }
      problems += state.forEachUndone(map, lent) { (_, group, steps) throws(MalformedBytes) in
        redo.append(try Self.group(group, steps, map, lent))
      }
    }
    groups.reverse()
    redo.reverse()
  }

  private static func group(
    _ group: DraftReplay.Group, _ steps: [WholeSteps.Step], _ map: SchemaMap, _ lent: LentBytes
  ) throws(MalformedBytes) -> DraftGroup {
    let head = try group.decodedHead(lent)
    var edits: [DraftEdit] = []
    for step in steps {
      guard var change = SlotChange(step.change.kind, of: step.change.object, map) else {
        throw SlotChange.unknown(step.change.object)
      }
      for (number, old, new) in step.fields {
        let slot = try change.slot(number)
        let absent = change.entity.defaults[slot]
        change.add(slot, from: old ?? absent, to: new ?? absent)
      }
      let (object, found) = change.finished
      edits.append(DraftEdit(object: object, change: found))
    }
    return DraftGroup(name: head.nameText, edits: edits, reversal: head.reversal)
  }
}
