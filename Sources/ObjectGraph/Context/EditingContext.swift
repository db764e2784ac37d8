import RepriseEventStore
import RepriseObjectModel

/// A context with an overlay of uncommitted changes: a ``RootContext`` saves it into the log, a ``ChildContext`` into
/// its parent. To discard the overlay is to undo.
///
/// With a draft ID the overlay is journalled as it grows and survives the process: see ``makeChild(draft:ifPresent:)``.
public class EditingContext: ObjectContext {
  /// What saves of this context do where others changed what they change too, unless a save says otherwise. Refusing
  /// with ``Conflict``s from the start. Children begin with what their parent has when they are made.
  public var mergePolicy = MergePolicy.error
  // Nothing runs while it is accessed.
  @exclusivity(unchecked) var overlay = Overlay()
  var draft: DraftRecorder?
  var isTurnHeld = false
  /// The drafts of children, at any depth, whose edits were saved into this overlay: the log takes them with it.
  var takenDrafts: [FrozenDraft] = []
  private var children: [WeakChild] = []
  private var groupDepth = 0
  private var groupName: String?
  private var groupIsNew = false
  /// How many of the last steps were recorded in the group.
  private var groupSteps = 0
  private var lastEdit: (object: AnyObjectID, slot: Int)?
  private var collected: [RecordedEdit]?

  // A class: arrays of objects all have one type, which is there when a process starts.
  private final class WeakChild {
    weak var context: ChildContext?
    init(_ context: ChildContext) { self.context = context }
  }

  deinit { if let draft { store.releaseDraft(draft.id) } }

  // MARK: State

  /// Whether something is uncommitted here.
  public var hasChanges: Bool { !overlay.isEmpty }

  /// What is uncommitted here: inserted, updated and deleted objects.
  public var changes: ChangeSet { ChangeSet(overlay) }

  /// The ID under which this context's edits survive the process; `nil` if they do not.
  public var draftID: String? { draft?.id }

  /// What damage took of the draft that this context took up, a sentence each; most often nothing. What was lost was
  /// typed and not saved; or it was saved, without being flushed, and the draft rests on it: then ``conflicts()`` says
  /// where.
  public internal(set) var draftLosses: [String] = []

  /// The node of a tree of screens whose own context this is.
  package weak var owner: AnyObject?

  package var liveChildren: [ChildContext] { children.compactMap(\.context) }

  func attach(_ child: ChildContext) {
    children.removeAll { $0.context == nil }
    children.append(WeakChild(child))
  }

  // MARK: Inserting and deleting

  /// Adds a new object, and every detached object that it leads to. It keeps the ID that it has had from birth.
  ///
  /// An object that was deleted in this context, or whose insertion was discarded, may be inserted again. Inserting
  /// what is there already does nothing. An object of another context, or of a model that the store was not opened
  /// with, stops the program with a text that says so.
  @discardableResult
  public func insert<Model: PersistentModel>(_ object: Model) -> Model {
    insertReachable(object)
    return object
  }

  /// Deletes an object, and what its relationships' delete rules say: `cascade` deletes the objects at the other end,
  /// `nullify` lets them forget it. One step of undo. It reads with its last values afterwards.
  ///
  /// Costs the objects concerned. Deleting what is deleted does nothing; an object of another context stops the
  /// program.
  public func delete(_ object: some PersistentModel) {
    requireOwn(object._storage, "delete")
    group(nil) { deleteReachable(object._storage.id) }
  }

  // MARK: Discarding

  /// Lets go of all uncommitted changes: the context reads as its parent, or as the log, does. Objects inserted here
  /// become deleted ones with their last values. A draft is emptied; the next edit begins it again.
  ///
  /// Costs what was changed.
  public func discard() {
    guard !overlay.isPristine else { return }
    let changes = overlay.changes
    let steps = overlay.steps.count
    overlay = Overlay()
    takenDrafts = []
    draft?.empty(undoing: isSaving ? steps : nil, in: self)
    leavesRedoInDraft = isSaving
    lastEdit = nil
    groupSteps = 0
    groupIsNew = true
    for (id, change) in changes {
      if let storage = liveInstance(of: id)?._storage { takeBack(change, from: storage) }
    }
    invalidateInChildren(changes.keys)
    didChange()
  }

  /// Lets a live object read as it does without `change`, which is in the overlay no more.
  private func takeBack(_ change: ObjectChange, from storage: ObjectStorage) {
    switch change {
    case .inserted(let values):
      wasTakenBack(storage, values)
    case .updated(let updates):
      if !storage.takeBack(updates) { storage.makeFault() }
    case .deleted:
      storage.makeFault()
    }
  }

  /// Lets a live object, whose insertion is in the overlay no more, read as deleted with its last values; unless it is
  /// below by now, where a deletion was taken back.
  func wasTakenBack(_ storage: ObjectStorage, _ values: ContiguousArray<PropertyValue>) {
    if let map = store.map.map(storage.entity.interned), let below = try? reading(of: storage.id, map),
      below.values != nil
    {
      storage.makeFault()
    } else {
      fill(storage, .deleted(values))
    }
  }

  // MARK: Groups

  /// Makes one step of undo of all edits in `body`, and none if they change nothing in all.
  ///
  /// If `body` throws, its edits are taken back, and what children saved into this context in it; there is nothing to
  /// redo then. Groups within groups join the outermost: an error that is caught within that one takes nothing back.
  public func group<Result, Failure: Error>(
    _ name: String?, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    if groupDepth == 0 {
      groupName = name
      groupIsNew = true
      groupSteps = 0
    }
    groupDepth += 1
    defer {
      groupDepth -= 1
      if groupDepth == 0 { lastEdit = nil }
    }
    do throws(Failure) {
      let result = try body()
      if groupDepth == 1, groupSteps > 0, collected == nil, overlay.steps.lastIsNothing { takeBackSteps(1) }
      return result
    } catch {
      if groupDepth == 1 { takeBackSteps(groupSteps) }
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
    groupSteps = max(0, groupSteps - 1)
    stepped(Set(group.edits.map(\.object)))
  }

  /// Does again what ``undo()`` took back last; nothing happens if there is none. A new edit forgets it.
  public func redo() {
    guard let group = overlay.redo() else { return }
    draft?.redone(in: self)
    stepped(Set(group.edits.map(\.object)))
  }

  private func stepped(_ ids: Set<AnyObjectID>) {
    lastEdit = nil
    // Within a group: the last step is another one now, and what follows must not join it.
    groupIsNew = true
    invalidate(ids)
    invalidateInChildren(ids)
    didChange()
  }

  // MARK: Recording

  /// The next edit begins a step of its own, also within a group: what was recorded in it stands in another layer, or
  /// in another step, by now.
  func endTyping() {
    lastEdit = nil
    groupSteps = 0
    groupIsNew = true
  }

  /// Makes one step of undo of all edits in `body`, and returns them instead of putting them into the draft.
  func collecting(_ name: String?, _ body: () -> Void) -> [RecordedEdit] {
    collected = []
    group(name, body)
    defer { collected = nil }
    return collected ?? []
  }

  override func asOneStep(_ body: () -> Void) { group(nil, body) }

  /// Lets unreadable objects be read again, here and in the contexts above.
  func forgetFaults() {
    let unread = Array(failedReads.keys) + misreads.keys
    failedReads = [:]
    misreads = [:]
    invalidate(unread)
    for child in liveChildren { child.forgetFaults() }
  }

  /// Whether a save is under way; what it saves is in the draft still.
  var isSaving: Bool { false }
  /// Whether changes above those that are being saved were taken back one by one, which leaves them in the draft to be
  /// done again.
  var leavesRedoInDraft = false

  /// What a save under a policy needs to know besides the changes.
  func merging(_ policy: MergePolicy) throws(StoreError) -> Merging {
    var merging = Merging(policy)
    guard case .overwrite = policy else { return merging }
    for (id, change) in overlay.changes {
      guard case .updated = change, let map = store.map.map(id.name) else { continue }
      if case .present(let values) = try reading(of: id, map) { merging.shown[id] = values }
    }
    return merging
  }

  /// What a save would make of the changes now. The subclass knows where it would go.
  func merge(_ merging: Merging) throws(StoreError) -> MergeOutcome { try store.merge([], merging) }

  /// The values of an object without the changes of this context, as they are now; `nil` where it does not exist.
  func valuesBelow(_ id: AnyObjectID, _ map: EntityMap) throws(StoreError) -> ContiguousArray<PropertyValue>? { nil }

  /// Whether an object that has no values below was there once.
  func wasThereBelow(_ id: AnyObjectID, _ map: EntityMap) throws(StoreError) -> Bool {
    try store.hasRecord(of: id.uuid, map)
  }

  /// Lets the context read what ``valuesBelow(_:_:)`` tells of.
  func moveToWhatIsBelow() throws(StoreError) {}

  override func isDeletedHere(_ id: AnyObjectID) -> Bool { overlay.changes[id]?.isDeletion ?? false }

  /// Puts one step into the overlay and the draft.
  func record(_ id: AnyObjectID, _ change: ObjectChange) {
    var startsGroup = true
    if groupDepth > 0 {
      startsGroup = groupIsNew
      if groupIsNew { groupSteps += 1 }
      groupIsNew = false
      lastEdit = nil
    } else if case .updated(let changes) = change, changes.count == 1 {
      // Typing into one field is one step.
      startsGroup = lastEdit.map { $0.object != id || $0.slot != changes[0].slot } ?? true
      lastEdit = (id, changes[0].slot)
    } else {
      lastEdit = nil
    }
    let name = groupDepth > 0 ? groupName : nil
    let recorded = RecordedEdit(edit: DraftEdit(object: id, change: change), startsGroup: startsGroup, groupName: name)
    overlay.record(recorded.edit, startsGroup: startsGroup, name: name)
    if collected != nil {
      collected?.append(recorded)
    } else if draft != nil {
      draft?.edited(recorded, in: self)
    }
    if !startsGroup, groupDepth == 0, overlay.steps.lastEndsWhereItBegan { return takeBackSteps(1) }
    invalidateInChildren(CollectionOfOne(id))
    didChange()
  }

  func invalidateInChildren(_ ids: some Sequence<AnyObjectID>) {
    if children.isEmpty { return }
    for child in liveChildren {
      child.invalidate(ids)
      child.invalidateInChildren(ids)
      child.didChange()
    }
  }

  /// Where what changed below is too much to be told one by one.
  func invalidateAllHereAndInChildren() {
    invalidateAll()
    for child in liveChildren {
      child.invalidateAllHereAndInChildren()
      child.didChange()
    }
  }

  override var holdsNothing: Bool {
    overlay.isPristine && draft == nil && liveChildren.isEmpty && super.holdsNothing
  }

  func requireOwn(_ storage: ObjectStorage, _ verb: StaticString) {
    guard let host = storage.host else {
      preconditionFailure("\(storage.id) is in no context yet. Insert it before you \(verb) it.")
    }
    if host === self { return }
    let (theirs, ours) = (Self.name(of: host), Self.name(of: self))
    preconditionFailure(
      "\(storage.id) belongs to \(theirs), and was given to \(ours)\(theirs == ours ? ", another one" : ""). "
        + "Hand over its id and look it up there.")
  }

  private static func name(of host: any ObjectHost) -> String {
    if let draft = (host as? EditingContext)?.draftID { return "the context with the draft '\(draft)'" }
    switch host {
    case let root as RootContext: return root.name.map { "the root context '\($0)'" } ?? "a root context"
    case is ChildContext: return "a child context"
    default: return "a context that only reads"
    }
  }

  // MARK: Children

  /// A context for editing on top of this one. It ends with the last reference to it, which discards its changes.
  public func makeChild() -> ChildContext {
    let child = ChildContext(parent: self)
    attach(child)
    return child
  }
}
