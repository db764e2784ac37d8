import RepriseEventStore
import RepriseObjectModel

/// A set of uncommitted changes above a projection.
///
/// It has two faces: `changes`, the net change of each object, which reads look at; and `steps`, in the order they were
/// made, which undo takes back one by one. The net change is always the steps folded together.
struct Overlay {
  private(set) var changes = ObjectMap<ObjectChange>()
  private(set) var steps = UndoSteps()
  /// Objects that may refer, in a slot, to a target, or did so below: a superset, so that the members of a relationship
  /// are found without looking at every change. What it names is checked against the object's own value.
  private(set) var referrers: [Reference: Set<UniqueID>] = [:]

  struct Reference: Hashable {
    let entity: EntityName
    let slot: Int
    let target: UniqueID
  }

  /// Whether nothing is changed in all. There may be steps all the same, that take each other back.
  var isEmpty: Bool { changes.isEmpty }
  /// Whether there is nothing to save, to undo or to redo.
  var isPristine: Bool { changes.isEmpty && steps.isEmpty }

  /// Adds an edit to the last step, or begins a new one with it.
  mutating func record(_ edit: DraftEdit, startsGroup: Bool, name: String?) {
    fold(edit.object, edit.change)
    steps.record(edit, startsGroup: startsGroup, name: name)
  }

  /// Puts a layer above into this one with its steps as they are.
  mutating func append(_ upper: Overlay) {
    for (object, change) in upper.changes { fold(object, change) }
    steps.append(upper.steps)
  }

  /// Takes the last step back; returns it, or `nil` if there is none.
  mutating func undo() -> DraftGroup? {
    guard let group = steps.undo() else { return nil }
    for edit in group.edits.reversed() { fold(edit.object, edit.change.inverse) }
    return group
  }

  /// Does again what was undone last; returns it, or `nil` if there is none.
  mutating func redo() -> DraftGroup? {
    guard let group = steps.redo() else { return nil }
    for edit in group.edits { fold(edit.object, edit.change) }
    return group
  }

  /// Takes the last step back for good; returns it, or `nil` if there is none. There is nothing to redo afterwards.
  mutating func takeBack() -> DraftGroup? {
    defer { forgetRedo() }
    return undo()
  }

  mutating func forgetRedo() { steps.forgetRedo() }

  /// Says what an object's net change is from now on. All steps become one.
  mutating func rewrite(_ object: AnyObjectID, _ change: ObjectChange?) {
    changes[object] = change
    if let change { note(object, change) }
    let edits = changes.sorted { $0.key < $1.key }.map { DraftEdit(object: $0.key, change: $0.value) }
    steps.replace(with: edits)
  }

  private mutating func fold(_ object: AnyObjectID, _ next: ObjectChange) {
    note(object, next)
    changes.update(object) { change in change.map { $0.followed(by: next) } ?? next }
  }

  private mutating func note(_ object: AnyObjectID, _ change: ObjectChange) {
    switch change {
    case .inserted(let values), .deleted(let values):
      for slot in values.indices {
        if case .reference(let target) = values[slot] { note(object, slot, target) }
      }
    case .updated(let changes):
      for change in changes {
        if case .reference(let target) = change.old { note(object, change.slot, target) }
        if case .reference(let target) = change.new { note(object, change.slot, target) }
      }
    }
  }

  private mutating func note(_ object: AnyObjectID, _ slot: Int, _ target: AnyObjectID) {
    referrers[Reference(entity: object.name, slot: slot, target: target.uuid), default: []].insert(object.uuid)
  }
}

extension Overlay {
  /// The overlay that a journal kept.
  init(_ image: DraftImage) {
    changes = image.changes
    steps = UndoSteps(image)
    for (object, change) in changes { note(object, change) }
  }
}
