import RepriseEventStore
import RepriseObjectModel

/// A set of uncommitted changes above a projection.
///
/// It has two faces: `changes`, the net change of each object, which reads look at; and `groups`, the steps in the
/// order they were made, which undo takes back one by one. The net change is always the steps folded together.
struct Overlay {
  private(set) var changes: [AnyObjectID: ObjectChange] = [:]
  /// Oldest first.
  private(set) var groups: [DraftGroup] = []
  /// What was undone, the next to be redone last.
  var undone: [DraftGroup] = []
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
  var isPristine: Bool { changes.isEmpty && groups.isEmpty && undone.isEmpty }

  /// Adds a step to the last group, or begins a new one with it.
  mutating func record(_ edit: DraftEdit, startsGroup: Bool, name: String?) {
    fold(edit.object, edit.change)
    undone.removeAll()
    if startsGroup || groups.isEmpty {
      groups.append(DraftGroup(name: name, edits: [edit]))
    } else {
      groups[groups.count - 1].edits.append(edit)
    }
  }

  /// Puts a layer above into this one with its groups as they are.
  mutating func append(_ upper: Overlay) {
    for (object, change) in upper.changes { fold(object, change) }
    groups += upper.groups
    if !upper.groups.isEmpty || !upper.undone.isEmpty { undone = upper.undone }
  }

  /// Takes the last group back; returns it, or `nil` if there is none.
  mutating func undo() -> DraftGroup? {
    guard let group = groups.popLast() else { return nil }
    for edit in group.edits.reversed() { fold(edit.object, edit.change.inverse) }
    undone.append(group)
    return group
  }

  /// Does again what was undone last; returns it, or `nil` if there is none.
  mutating func redo() -> DraftGroup? {
    guard let group = undone.popLast() else { return nil }
    for edit in group.edits { fold(edit.object, edit.change) }
    groups.append(group)
    return group
  }

  /// Says what an object's net change is from now on. All steps become one.
  mutating func rewrite(_ object: AnyObjectID, _ change: ObjectChange?) {
    changes[object] = change
    if let change { note(object, change) }
    let edits = changes.sorted { $0.key < $1.key }.map { DraftEdit(object: $0.key, change: $0.value) }
    groups = edits.isEmpty ? [] : [DraftGroup(name: nil, edits: edits)]
    undone = []
  }

  private mutating func fold(_ object: AnyObjectID, _ next: ObjectChange) {
    note(object, next)
    guard let index = changes.index(forKey: object) else {
      changes[object] = next
      return
    }
    if let folded = changes.values[index].followed(by: next) {
      changes.values[index] = folded
    } else {
      changes.remove(at: index)
    }
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

extension [Overlay] {
  /// The objects of which these layers must be asked whether they refer to a target: those that some layer may have
  /// made refer to it, and of those that do so in the store each that a layer changed or deleted.
  func candidates(_ entity: EntityName, _ slot: Int, _ target: UniqueID, stored: [UniqueID]) -> Set<UniqueID> {
    let reference = Overlay.Reference(entity: entity, slot: slot, target: target)
    var candidates: Set<UniqueID> = []
    for layer in self where !layer.isEmpty {
      if let referrers = layer.referrers[reference] { candidates.formUnion(referrers) }
      for uuid in stored where layer.changes[AnyObjectID(entity, uuid)] != nil { candidates.insert(uuid) }
    }
    return candidates
  }
}

extension Overlay {
  /// The overlay that a journal kept.
  init(_ image: DraftImage) {
    changes = image.changes
    let history = image.history
    groups = history.groups
    undone = history.redo
    for (object, change) in changes { note(object, change) }
  }
}
