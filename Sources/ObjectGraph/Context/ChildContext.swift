import RepriseEventStore
import RepriseObjectModel

/// A context on top of another: it sees its parent's changes as they are made, and its own on top of them.
///
/// It serves an editor that can be cancelled. ``save(_:merging:)`` puts the changes into the parent synchronously, as
/// one undo step; ``EditingContext/discard()`` drops them. A child lives in its parent's isolation and retains its
/// parent.
public final class ChildContext: EditingContext {
  /// The context below.
  public let parent: EditingContext

  init(parent: EditingContext) {
    self.parent = parent
    super.init(store: parent.store, turn: parent.turn, pinned: parent.pinForChild())
    mergePolicy = parent.mergePolicy
    undoCoalescing = parent.undoCoalescing
    reads = parent.reads
    parent.tracker?.track(self)
  }

  override var below: EditingContext? { parent }

  override func pinAnew() -> Position? { parent.pinForChild() }

  /// Puts the changes into the parent as one undo step. Afterwards the child is empty and can be used again; the
  /// journal frame that adds the changes to the parent's draft also empties the child's.
  ///
  /// With nothing to save, nothing happens, and undone steps can still be redone.
  ///
  /// Costs the changed objects, and those related to deleted objects in the parent.
  ///
  /// If these changes are in conflict with the parent's, the save is refused or follows the merge policy: the parent's
  /// pending changes are then "theirs". It is also refused if it would break a rule of the models in the parent.
  ///
  /// - Parameters:
  ///   - name: The name of the step, as in "Undo Rename".
  ///   - policy: The merge policy of this save; ``EditingContext/mergePolicy`` by default.
  /// - Throws: ``ChildSaveError``; then nothing has changed, here or in the parent.
  public func save(_ name: String? = nil, merging policy: MergePolicy? = nil) throws {
    let unreadable = unreadable
    guard unreadable.isEmpty else { throw ChildSaveError.unreadable(unreadable) }
    guard !overlay.isEmpty else { return }
    let outcome: MergeOutcome
    do {
      try overlay.changes.readAll()
      outcome = try merge(validating(merging(policy ?? mergePolicy)))
    } catch {
      throw ChildSaveError.unreadable([:])
    }
    let violations = outcome.violations + violations(among: outcome.unvalidated)
    if let refusal = ChildSaveError.refusal(outcome.conflicts, violations) { throw refusal }
    let saved = overlay
    overlay = Overlay()
    forgetUnread()
    let step = parent.absorb(outcome.changes, name: name)
    endTyping()
    parent.take(takenDrafts)
    takenDrafts = []
    if let moved = DraftRecorder.moved(step, from: self, to: parent) { parent.take([moved]) }
    noteDeletions(saved.changes.lazy.map { ($0.key, $0.value) })
    noteDeletions(outcome.changes.lazy.map { ($0.object, $0.change) })
    reread(saved.changes.keys)
  }
}

extension EditingContext {
  fileprivate func pinForChild() -> Position? {
    let position = position
    return isResting ? nil : store.pin(at: position)
  }

  /// Records that this overlay now contains the edits of these drafts, which the next save consumes.
  func take(_ drafts: [FrozenDraft]) {
    for draft in drafts {
      // A later generation covers the earlier ones.
      let same = takenDrafts.filter { $0.id == draft.id } + [draft]
      takenDrafts.removeAll { $0.id == draft.id }
      takenDrafts.append(
        FrozenDraft(
          id: draft.id, generation: same.reduce(0) { max($0, $1.generation) },
          isResumed: same.contains(where: \.isResumed)))
    }
  }

  /// Applies the changes of a child's save as one step.
  fileprivate func absorb(_ changes: [(object: AnyObjectID, change: ObjectChange)], name: String?) -> CollectedStep {
    collecting(name) { apply(changes) }
  }

  /// Invalidates live objects, here and in the contexts above.
  func reread(_ ids: some Sequence<AnyObjectID>) {
    invalidate(ids)
    invalidateInChildren(ids)
    didChange()
  }
}
