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
  /// What a save has taken out of the overlay, and is not in the log yet. Edits made meanwhile lie above it.
  // Nothing runs while it is accessed.
  @exclusivity(unchecked) var frozen: Overlay?
  var draft: DraftRecorder?
  var isTurnHeld = false
  /// The drafts of children, at any depth, whose edits were saved into this overlay: the log takes them with it.
  var takenDrafts: [FrozenDraft] = []
  private var children: [WeakChild] = []
  var grouping = UndoGrouping()
  /// What a child's save puts in; it goes into the draft in one frame with what leaves the child's.
  var collected: CollectedStep?
  /// Whether changes above those that are being saved were taken back one by one, which leaves them in the draft to be
  /// done again.
  var leavesRedoInDraft = false

  // A class: arrays of objects all have one type, which is there when a process starts.
  private final class WeakChild {
    weak var context: ChildContext?
    init(_ context: ChildContext) { self.context = context }
  }

  deinit { if let draft { store.releaseDraft(draft.id) } }

  // MARK: State

  /// Whether something is uncommitted here, or a save of it is under way.
  public var hasChanges: Bool { !overlay.isEmpty || isSaving }

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

  // MARK: Layers

  /// The context whose changes lie below these; `nil` where the log does.
  var below: EditingContext? { nil }

  /// Whether a save is under way; what it saves is in the draft still.
  var isSaving: Bool { frozen != nil }

  override var layers: [Overlay] { (below?.layers ?? []) + (frozen.map { [$0, overlay] } ?? [overlay]) }

  override func reading(of id: AnyObjectID, _ map: EntityMap) throws(StoreError) -> ObjectReading {
    try overlay.reading(of: id, map.entity) { () throws(StoreError) in
      guard let frozen else { return try readingBelow(of: id, map) }
      return try frozen.reading(of: id, map.entity) { () throws(StoreError) in
        try readingBelow(of: id, map)
      }
    }
  }

  private func readingBelow(of id: AnyObjectID, _ map: EntityMap) throws(StoreError) -> ObjectReading {
    guard let below else { return try super.reading(of: id, map) }
    return try below.currentReading(of: id, map)
  }

  override func isInserted(_ id: AnyObjectID) -> Bool {
    if overlay.changes[id]?.isInsertion ?? false || frozen?.changes[id]?.isInsertion ?? false { return true }
    return below?.isInserted(id) ?? false
  }

  override func isDeletedHere(_ id: AnyObjectID) -> Bool {
    (overlay.changes[id] ?? frozen?.changes[id])?.isDeletion ?? false
  }

  override var holdsNothing: Bool {
    overlay.isPristine && !isSaving && draft == nil && liveChildren.isEmpty && super.holdsNothing
  }

  /// Lets the context read what ``valuesBelow(_:_:)`` tells of. A child does so all the time.
  func moveToWhatIsBelow() throws(StoreError) {}

  // MARK: Editing

  override func write(_ value: PropertyValue, at slot: Int, of storage: ObjectStorage) {
    setValue(value, at: slot, of: storage)
  }
  override func point(_ slot: Int, of storage: ObjectStorage, at object: (any PersistentModel)?) {
    pointToOne(slot, of: storage, at: object)
  }
  override func add(_ object: any PersistentModel, to slot: Int, of storage: ObjectStorage) {
    addMember(object, to: slot, of: storage)
  }
  override func remove(_ object: any PersistentModel, from slot: Int, of storage: ObjectStorage) {
    removeMember(object, from: slot, of: storage)
  }
  override func insertReachable(_ object: any PersistentModel) { insertDetached(object) }
  override func asOneStep(_ body: () -> Void) { group(nil, body) }

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
  /// Where one of them cannot be read, nothing is deleted: ``ObjectContext/readErrors`` says so, and saves are refused.
  ///
  /// Costs the objects concerned. Deleting what is deleted does nothing; an object of another context stops the
  /// program.
  public func delete(_ object: some PersistentModel) {
    requireOwn(object._storage, "delete")
    group(nil) { deleteReachable(object._storage.id) }
  }

  // MARK: Reading again

  /// Lets unreadable objects be read again, here and in the contexts above.
  func forgetFaults() {
    let unread = Array(failedReads.keys) + misreads.keys
    failedReads = [:]
    misreads = [:]
    invalidate(unread)
    for child in liveChildren { child.forgetFaults() }
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

  // MARK: Children

  /// A context for editing on top of this one. It ends with the last reference to it, which discards its changes.
  public func makeChild() -> ChildContext {
    let child = ChildContext(parent: self)
    attach(child)
    return child
  }
}
