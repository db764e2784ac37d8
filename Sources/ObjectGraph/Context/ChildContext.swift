import RepriseEventStore
import RepriseObjectModel

/// A context on top of another one: it shows its parent's changes immediately, and adds its own.
///
/// Use a child for an editor that the user can cancel. ``save(_:merging:)`` puts its changes into the parent
/// synchronously, as one undo step. ``EditingContext/discard()`` drops them. A child belongs to its parent's isolation
/// and retains its parent.
public final class ChildContext: EditingContext {
  /// The parent: the context that this one saves into.
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

  /// Puts the uncommitted changes into the parent as one undo step.
  ///
  /// Afterwards the child is empty and can be used again. One journal frame both adds the changes to the parent's draft
  /// and empties the child's draft. A crash therefore neither loses nor duplicates them. If there are no changes,
  /// `save` does nothing, and undone steps can still be redone.
  ///
  /// If the changes conflict with the parent's pending changes, the merge policy decides. The parent's changes are then
  /// `theirs`. By default, `save` throws `SaveError.refused`. `save` also throws it if its changes would break a rule
  /// of the models in the parent.
  ///
  /// Costs time in proportion to the changed objects and to the objects in the parent that refer to deleted ones.
  ///
  /// - Parameters:
  ///   - name: The name of the step, as in "Undo Rename".
  ///   - policy: The merge policy of this save; ``EditingContext/mergePolicy`` by default.
  /// - Throws: ``SaveError``: `refused`, `unreadable` or `store`. Then neither this context nor its parent has changed.
  public func save(_ name: String? = nil, merging policy: MergePolicy? = nil) throws {
    let unreadable = unreadable
    guard unreadable.isEmpty else { throw SaveError.unreadable(unreadable) }
    guard !overlay.isEmpty else { return }
    let outcome: MergeOutcome
    do throws(StoreError) {
      try overlay.changes.readAll()
      outcome = try merge(validating(merging(policy ?? mergePolicy)))
    } catch {
      throw SaveError.store(error)
    }
    let violations = outcome.violations + violations(among: outcome.unvalidated)
    if let refusal = SaveRefusal(of: .childSave, outcome.conflicts, violations) { throw SaveError.refused(refusal) }
    let saved = overlay
    overlay = Overlay()
    forgetUnread()
    let step = parent.absorb(outcome.changes, name: name)
    endTyping()
    parent.take(takenDrafts)
    takenDrafts = []
    if let moved = DraftRecorder.moved(step, from: self, to: parent) { parent.take([moved]) }
    noteDeletions(saved.changes.lazy.filter(\.value.isDeletion).map(\.key))
    noteDeletions(outcome.changes.lazy.filter(\.change.isDeletion).map(\.object))
    reread(saved.changes.keys)
  }
}

extension EditingContext {
  fileprivate func pinForChild() -> Position? {
    let position = position
    return isResting ? nil : store.pin(at: position)
  }

  /// Records that this overlay now contains the edits of these drafts, which the next save consumes.
  func take(_ parts: [FrozenDraft]) {
    for part in parts {
      // A later generation of a draft covers its earlier generations.
      let same = takenDrafts.filter { $0.draft == part.draft } + [part]
      takenDrafts.removeAll { $0.draft == part.draft }
      takenDrafts.append(
        FrozenDraft(
          part.draft, generation: same.reduce(0) { max($0, $1.generation) },
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
