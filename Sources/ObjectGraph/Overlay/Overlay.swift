import RepriseEventStore
import RepriseObjectModel

/// A set of uncommitted changes above a projection.
///
/// It has two views: `changes`, the net change of each object, for reads, and `steps`, in chronological order, for
/// undo. The net change is always the fold of the steps.
struct Overlay {
  private(set) var changes = PendingChanges()
  private(set) var steps = UndoSteps()
  /// The objects that may refer to a target in a slot, or did so in the layers below. With them, a relationship's
  /// members are found without scanning all changes. The sets may have too many objects: each candidate's own value
  /// decides.
  private var referrers: [Reference: Set<UniqueID>] = [:]
  private(set) var history = OverlayHistory()

  struct Reference: Hashable {
    let entity: EntityName
    let slot: Int
    let target: UniqueID
  }

  /// Whether there is no net change. There may still be steps that cancel out.
  var isEmpty: Bool { changes.isEmpty }
  /// Whether there is nothing to save, undo or redo.
  var isPristine: Bool { changes.isEmpty && steps.isEmpty }

  /// Adds an edit to the last step, or begins a new step.
  mutating func record(_ edit: DraftEdit, startsGroup: Bool, name: String?, reversal: Reversal? = nil) {
    fold(edit.object, edit.change)
    steps.record(edit, startsGroup: startsGroup, name: name, reversal: reversal)
  }

  /// Merges the layer above into this one, keeping its steps.
  mutating func append(_ upper: Overlay) {
    for (object, change) in upper.changes { fold(object, change) }
    steps.append(upper.steps)
  }

  /// Undoes the last step and returns it. `nil` if there is none.
  mutating func undo() -> DraftGroup? {
    guard let group = steps.undo() else { return nil }
    for edit in group.edits.reversed() { fold(edit.object, edit.change.inverse) }
    return group
  }

  /// Redoes the step undone last and returns it. `nil` if there is none.
  mutating func redo() -> DraftGroup? {
    guard let (group, isForward) = steps.redo() else { return nil }
    if isForward {
      for edit in group.edits { fold(edit.object, edit.change) }
    } else {
      for edit in group.edits.reversed() { fold(edit.object, edit.change.inverse) }
    }
    return group
  }

  /// Removes the last step and returns it. `nil` if there is none. Afterwards there is nothing to redo.
  mutating func takeBack() -> DraftGroup? {
    defer { forgetRedo() }
    return undo()
  }

  /// Whether the last step leaves the net change of each of its objects as it was, for a step whose edits cancel out.
  ///
  /// An edit that returns a property to its value below ends the change. If the value below has changed meanwhile, the
  /// next edit begins with the new one, and the change has another base than before the step. Costs time in proportion
  /// to the edits of the step.
  var lastKeepsChanges: Bool {
    var before: [AnyObjectID: ObjectChange?] = [:]
    for edit in steps.lastEdits.reversed() {
      let (change, next) = (before[edit.object] ?? changes[edit.object], edit.change.inverse)
      before.updateValue(change.map { $0.followed(by: next) } ?? next, forKey: edit.object)
    }
    return before.allSatisfy { id, change in
      guard let now = changes[id], let change else { return changes[id] == nil && change == nil }
      return change.isIdentical(to: now)
    }
  }

  mutating func forgetRedo() { steps.forgetRedo() }

  /// Replaces an object's net change. All steps become one, except steps that revert a transaction of the log. With
  /// these, the change belongs to the last step.
  mutating func rewrite(_ object: AnyObjectID, _ change: ObjectChange?) {
    changes[object] = change
    history.touch(object)
    if let change { note(object, change) }
    var groups: [DraftGroup] = []
    var rest = changes.all
    let count = steps.reversalCount
    if count > 0, case let all = steps.groups, all.count == steps.count {
      groups = Array(all.prefix(count))
      rest = RecordedSteps.net(all.dropFirst(count).flatMap(\.edits))
      rest[object] = nil
      for place in groups.indices { groups[place].edits.removeAll { $0.object == object } }
      if let change {
        if rest.isEmpty {
          groups[count - 1].edits.append(DraftEdit(object: object, change: change))
        } else {
          rest[object] = change
        }
      }
    }
    let edits = rest.sorted { $0.key < $1.key }.map { DraftEdit(object: $0.key, change: $0.value) }
    groups.append(DraftGroup(edits: edits))
    steps.replace(with: groups.filter { !$0.edits.isEmpty })
  }

  private mutating func fold(_ object: AnyObjectID, _ next: ObjectChange) {
    note(object, next)
    history.touch(object)
    changes.update(object) { change in change.map { $0.followed(by: next) } ?? next }
  }

  private mutating func note(_ object: AnyObjectID, _ change: ObjectChange) {
    change.eachReference { slot, target in
      let reference = Reference(entity: object.name, slot: slot, target: target.uuid)
      referrers[reference, default: []].insert(object.uuid)
    }
  }

  /// The objects that may refer to a target.
  func referrers(_ reference: Reference) -> Set<UniqueID> {
    let known = referrers[reference] ?? []
    guard let unread = changes.unread else { return known }
    return known.union(unread.referrers(reference.entity, reference.slot, reference.target))
  }
}

extension Overlay {
  /// Restores an overlay from a journal.
  init(_ image: DraftImage) {
    changes = PendingChanges(image)
    steps = UndoSteps(image)
    history.forget()
    for (object, change) in image.changes { note(object, change) }
  }

  /// An overlay with these net changes and without steps.
  init(_ changes: some Sequence<(object: AnyObjectID, change: ObjectChange)>) {
    history.forget()
    for (object, change) in changes {
      self.changes[object] = change
      note(object, change)
    }
  }
}
