import RepriseEventStore
import RepriseObjectModel

extension EditingContext {
  // MARK: Groups

  /// Groups all edits in `body` into one undo step.
  ///
  /// If the edits have no net change, there is no step. If `body` throws, `group` reverts its edits, including edits
  /// that children saved into this context meanwhile. Reverted edits cannot be redone. A nested group joins the
  /// outermost one, so catching an error inside the outer group reverts nothing. Inside the group, ``undo()`` and
  /// ``redo()`` do nothing, because the step is not complete. `UndoManager` raises an exception in a nested group.
  ///
  /// In a context without an isolation, lists deliver one batch of changes after the whole group.
  ///
  /// - Parameters:
  ///   - name: The name of the step, as in "Undo Rename".
  ///   - body: The edits.
  /// - Returns: The result of `body`.
  public func group<Result, Failure: Error>(
    _ name: String?, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    if turn.isolation != nil { return try step(name, body) }
    return try asOneBatch { () throws(Failure) in try step(name, body) }
  }

  private func step<Result, Failure: Error>(
    _ name: String?, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    grouping.begin(name)
    defer { grouping.end() }
    let (refused, hidden) = (refusedEdits, hiddenRows)
    do throws(Failure) {
      let result = try body()
      if grouping.isOutermost, grouping.steps > 0, collected == nil, overlay.steps.lastIsNothing,
        overlay.lastKeepsChanges
      {
        takeBackSteps(1)
      }
      return result
    } catch {
      if grouping.isOutermost {
        takeBackSteps(grouping.steps)
        refusedEdits = refused
        if hiddenRows.count > hidden.count { (hiddenRows, knownRows) = (hidden, nil) }
      }
      throw error
    }
  }

  /// Ends the current step of ``undoCoalescing``, so that the next edit begins a new step.
  ///
  /// Call it when the user leaves a field or moves the cursor. Inside a group it does nothing.
  public func breakUndoCoalescing() {
    if !grouping.isInGroup { grouping.breakStep() }
  }

  /// Removes the last steps.
  private func takeBackSteps(_ count: Int) {
    guard count > 0 else { return }
    var ids: Set<AnyObjectID> = []
    for _ in 0..<count { ids.formUnion(overlay.takeBack()?.edits.map(\.object) ?? []) }
    if let id = ids.first { draft?.takenBack(count, at: id, in: self) }
    stepped(ids)
  }

  /// Whether there is an uncommitted step to undo. False inside a ``group(_:_:)``.
  ///
  /// On a root with ``RootContext/undoesSaves``, it is also true if there is a saved step of its author to undo.
  public var canUndo: Bool { !grouping.isInGroup && (overlay.steps.canUndo || savedStep(.undo) != nil) }

  /// Whether there is a step to redo. False inside a ``group(_:_:)``.
  ///
  /// On a root with ``RootContext/undoesSaves``, it is also true if there is a saved step of its author to redo.
  public var canRedo: Bool { !grouping.isInGroup && (overlay.steps.canRedo || savedStep(.redo) != nil) }

  /// The name of the step that ``undo()`` would undo; `nil` if there is no such step or it has no name.
  public var undoName: String? {
    if grouping.isInGroup { return nil }
    return overlay.steps.canUndo ? overlay.steps.undoName : savedStep(.undo)?.name
  }

  /// The name of the step that ``redo()`` would redo; `nil` if there is no such step or it has no name.
  ///
  /// After a relaunch, the first read decodes all steps that were undone before it.
  public var redoName: String? {
    if grouping.isInGroup { return nil }
    return overlay.steps.canRedo ? overlay.steps.redoName : savedStep(.redo)?.name
  }

  /// The names of the uncommitted steps to undo, the next one first. Decodes the steps of a recovered draft.
  package var undoNames: [String?] { overlay.steps.undoNames }

  /// The names of the uncommitted steps to redo, the next one first. Decodes the steps of a recovered draft.
  package var redoNames: [String?] { overlay.steps.redoNames }

  /// Undoes the last uncommitted step.
  ///
  /// Costs time in proportion to the changes of that step. If there is no uncommitted step, a root with
  /// ``RootContext/undoesSaves`` undoes its author's last saved step. That step is always the one that ``undoName``
  /// names. Otherwise, and inside a ``group(_:_:)``, `undo` does nothing.
  public func undo() {
    if grouping.isInGroup { return }
    guard overlay.steps.canUndo else { return stageSaved(.undo) }
    guard let group = overlay.undo() else { return }
    draft?.undone(in: self)
    stepped(Set(group.edits.map(\.object)))
  }

  /// Redoes the step undone last.
  ///
  /// A new edit clears the steps to redo. If there is no uncommitted step to redo, a root with
  /// ``RootContext/undoesSaves`` redoes its author's last undone save. Otherwise, and inside a ``group(_:_:)``, `redo`
  /// does nothing.
  public func redo() {
    if grouping.isInGroup { return }
    guard overlay.steps.canRedo else { return stageSaved(.redo) }
    guard let group = overlay.redo() else { return }
    draft?.redone(in: self)
    stepped(Set(group.edits.map(\.object)))
  }

  private func stepped(_ ids: Set<AnyObjectID>) {
    grouping.breakStep()
    invalidate(ids)
    invalidateInChildren(ids)
    didChange()
  }

  // MARK: Recording

  /// Makes the next edit begin a new step, even within a group, whose earlier edits are by now in another layer or
  /// step.
  func endTyping() {
    grouping.breakStep()
    grouping.forgetSteps()
  }

  /// Groups all edits in `body` into one undo step, and returns it instead of adding it to the draft.
  func collecting(_ name: String?, _ body: () -> Void) -> CollectedStep {
    collected = CollectedStep()
    group(name, body)
    defer { collected = nil }
    return collected ?? CollectedStep()
  }

  /// Adds an edit to the overlay and the draft.
  ///
  /// - Parameters:
  ///   - storage: The live object, if its value in a slot was overwritten with the edit's. Observers read it.
  func record(_ id: AnyObjectID, _ change: ObjectChange, of storage: ObjectStorage? = nil, _ slot: Int = 0) {
    // `knownRows` shares the overlay, so the edit would copy the overlay.
    knownRows = nil
    let startsGroup = grouping.beginsStep(id, change, undoCoalescing)
    let name = grouping.name
    let reversal = grouping.reversal
    let edit = DraftEdit(object: id, change: change)
    overlay.record(edit, startsGroup: startsGroup, name: name, reversal: reversal)
    if let storage { settle(storage, slot) }
    if collected != nil {
      collected?.add(edit, startsGroup: startsGroup, name: name)
    } else if draft != nil {
      draft?.edited(edit, startsGroup: startsGroup, name: name, reversal: reversal, in: self)
    }
    // The removed step is announced at the end of the turn, like every undo.
    if !startsGroup, !grouping.isInGroup, overlay.steps.lastEndsWhereItBegan, overlay.lastKeepsChanges {
      return takeBackSteps(1)
    }
    invalidateInChildren(CollectionOfOne(id))
    // After the draft, because the observer may edit.
    tracker?.didEdit(id, change)
    didChange()
  }
}
