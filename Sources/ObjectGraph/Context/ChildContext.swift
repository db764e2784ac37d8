import RepriseEventStore
import RepriseObjectModel

/// A context on top of another: it sees its parent's changes as they are made, and its own above them.
///
/// For an editor that may be cancelled. ``save(_:merging:)`` puts the changes into the parent, synchronously, as one
/// step of its undo; ``EditingContext/discard()`` lets them go. A child lives in its parent's isolation and holds its
/// parent.
public final class ChildContext: EditingContext {
  /// The context below.
  public let parent: EditingContext

  init(parent: EditingContext) {
    self.parent = parent
    super.init(store: parent.store, turn: parent.turn, pinned: parent.store.pin(at: parent.position))
    mergePolicy = parent.mergePolicy
  }

  override var below: EditingContext? { parent }

  /// Puts the changes into the parent, as one step of its undo. The child is empty afterwards and goes on; its draft is
  /// emptied in the same journal frame that keeps the changes in the parent's.
  ///
  /// With nothing to save, nothing happens: what was undone can still be redone.
  ///
  /// Costs the objects changed, and those that the parent's relationships lead to from objects that were deleted.
  ///
  /// Where the parent changed what these changes rest on, the save is refused with conflicts, or does what the merge
  /// policy says: the parent's pending changes are then "theirs".
  ///
  /// - Parameters:
  ///   - name: What the step is called, as in "Undo Rename".
  ///   - policy: The merge policy of this save; ``EditingContext/mergePolicy`` if it is left out.
  /// - Throws: ``ChildSaveError``; nothing changed then, here or in the parent.
  public func save(_ name: String? = nil, merging policy: MergePolicy? = nil) throws {
    guard failedReads.isEmpty else { throw ChildSaveError.unreadable(failedReads.keys.sorted()) }
    guard !overlay.isEmpty else { return }
    let outcome: MergeOutcome
    do {
      outcome = try merge(merging(policy ?? mergePolicy))
    } catch {
      throw ChildSaveError.unreadable([])
    }
    guard outcome.conflicts.isEmpty else { throw ChildSaveError.conflicts(outcome.conflicts) }
    let saved = overlay
    overlay = Overlay()
    let step = parent.absorb(outcome.changes, name: name)
    endTyping()
    parent.take(takenDrafts)
    takenDrafts = []
    if let moved = DraftRecorder.moved(step, from: self, to: parent) { parent.take([moved]) }
    reread(saved.changes.keys)
  }
}

extension EditingContext {
  /// What is saved from here on contains the edits of these drafts.
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

  /// Takes over what a child's save comes to.
  fileprivate func absorb(_ changes: [(object: AnyObjectID, change: ObjectChange)], name: String?) -> CollectedStep {
    collecting(name) { apply(changes) }
  }

  /// Makes live objects read again, here and in the contexts above.
  func reread(_ ids: some Sequence<AnyObjectID>) {
    invalidate(ids)
    invalidateInChildren(ids)
    didChange()
  }
}
