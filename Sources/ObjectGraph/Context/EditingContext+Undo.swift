import RepriseEventStore
import RepriseObjectModel

extension EditingContext {
  // MARK: Groups

  /// Makes one step of undo of all edits in `body`, and none if they change nothing in all.
  ///
  /// If `body` throws, its edits are taken back, and what children saved into this context in it; there is nothing to
  /// redo then. Groups within groups join the outermost: an error that is caught within that one takes nothing back.
  public func group<Result, Failure: Error>(
    _ name: String?, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    grouping.begin(name)
    defer { grouping.end() }
    do throws(Failure) {
      let result = try body()
      if grouping.isOutermost, grouping.steps > 0, collected == nil, overlay.steps.lastIsNothing { takeBackSteps(1) }
      return result
    } catch {
      if grouping.isOutermost { takeBackSteps(grouping.steps) }
      throw error
    }
  }

  /// Takes the last steps back for good.
  private func takeBackSteps(_ count: Int) {
    guard count > 0 else { return }
    var ids: Set<AnyObjectID> = []
    for _ in 0..<count { ids.formUnion(overlay.takeBack()?.edits.map(\.object) ?? []) }
    if let id = ids.first { draft?.takenBack(count, at: id, in: self) }
    stepped(ids)
  }

  /// Whether there is an uncommitted step to take back.
  public var canUndo: Bool { overlay.steps.count > 0 }

  /// Whether there is a step to do again.
  public var canRedo: Bool { overlay.steps.canRedo }

  /// The name of the step that ``undo()`` takes back.
  public var undoName: String? { overlay.steps.undoName }

  /// Takes back the last uncommitted step; nothing happens if there is none. Costs what the step changed.
  public func undo() {
    guard let group = overlay.undo() else { return }
    draft?.undone(in: self)
    grouping.undid()
    stepped(Set(group.edits.map(\.object)))
  }

  /// Does again what ``undo()`` took back last; nothing happens if there is none. A new edit forgets it.
  public func redo() {
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

  /// The next edit begins a step of its own, also within a group: what was recorded in it stands in another layer, or
  /// in another step, by now.
  func endTyping() {
    grouping.breakStep()
    grouping.forgetSteps()
  }

  /// Makes one step of undo of all edits in `body`, and returns it instead of putting it into the draft.
  func collecting(_ name: String?, _ body: () -> Void) -> CollectedStep {
    collected = CollectedStep()
    group(name, body)
    defer { collected = nil }
    return collected ?? CollectedStep()
  }

  /// Puts one edit into the overlay and the draft.
  func record(_ id: AnyObjectID, _ change: ObjectChange) {
    let startsGroup = grouping.beginsStep(id, change)
    let name = grouping.name
    let edit = DraftEdit(object: id, change: change)
    overlay.record(edit, startsGroup: startsGroup, name: name)
    if collected != nil {
      collected?.add(edit, startsGroup: startsGroup, name: name)
    } else if draft != nil {
      draft?.edited(edit, startsGroup: startsGroup, name: name, in: self)
    }
    if !startsGroup, !grouping.isInGroup, overlay.steps.lastEndsWhereItBegan { return takeBackSteps(1) }
    invalidateInChildren(CollectionOfOne(id))
    didChange()
  }
}
