import RepriseEventStore
import RepriseObjectModel

extension Overlay {
  /// The transactions that a save makes of this overlay, if it makes several: one for each reversal, and one for all
  /// other steps.
  func parts(named name: String?) -> [SaveRequest.Part] {
    let count = steps.reversalCount
    guard count > 0 else { return [] }
    let groups = steps.groups
    // The steps of a damaged draft may be cut short. The save writes the net change in any case.
    guard groups.count == steps.count else { return [] }
    var parts = groups.prefix(count).map { group in
      SaveRequest.Part(name: name ?? group.name, reversal: group.reversal, changes: Self.changes(of: group.edits))
    }
    let rest = groups.dropFirst(count).flatMap(\.edits)
    parts.append(SaveRequest.Part(name: name, reversal: nil, changes: Self.changes(of: rest)))
    return parts.filter { !$0.changes.isEmpty }
  }

  /// The step that deleted an object here.
  func deletion(of id: AnyObjectID) -> PastDeletion {
    let deletion = PastDeletion()
    // The net changes lack an object that was inserted here and deleted, and a reference that was made here and
    // emptied.
    let step = steps.groups.last { $0.edits.contains { $0.object == id && $0.change.isDeletion } }
    if let step {
      for edit in step.edits { deletion.add(edit.object, edit.change) }
    } else {
      for (object, change) in changes { deletion.add(object, change) }
    }
    return deletion
  }

  private static func changes(of edits: [DraftEdit]) -> [(object: AnyObjectID, change: ObjectChange)] {
    RecordedSteps.net(edits).map { ($0.key, $0.value) }
  }
}
