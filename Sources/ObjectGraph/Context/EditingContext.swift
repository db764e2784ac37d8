import RepriseEventStore
import RepriseObjectModel

/// A context with uncommitted changes: a ``RootContext`` saves them to the log, a ``ChildContext`` to its parent.
///
/// With a draft ID, the journal records the changes as they are made, and they survive the process. See
/// ``makeChild(draft:ifPresent:)``.
public class EditingContext: ObjectContext {
  /// The default merge policy of this context's saves.
  ///
  /// The policy is `error` at first, so a save with a ``Conflict`` throws. A child takes its parent's policy when it is
  /// made.
  public var mergePolicy = MergePolicy.error
  /// The rule that joins edits of one property into one undo step. A child takes its parent's rule when it is made.
  public var undoCoalescing = UndoCoalescing.byProperty
  // No other code runs while it is accessed.
  @exclusivity(unchecked) var overlay = Overlay()
  /// The changes of a save that is not in the log yet. Edits made meanwhile are in `overlay`, above them.
  // No other code runs while it is accessed.
  @exclusivity(unchecked) var frozen: Overlay? { didSet { isSaving = frozen != nil } }
  /// Whether a save is under way. Its changes are still in the draft. This is a stored property, because each new
  /// object asks for it, and reading the optional overlay copies the overlay.
  private(set) var isSaving = false
  var draft: DraftRecorder?
  var isTurnHeld = false
  private var isBatch = false
  /// Whether changes wait for the end of a batch, here or below, to be announced.
  private var isUnannounced = false
  /// The drafts of children, at any depth, whose edits were saved into this overlay: the save into the log consumes
  /// them too.
  var takenDrafts: [FrozenDraft] = []
  /// Only ``attach(_:)`` changes these.
  var children: [WeakReference] = []
  var childLimit = 8
  /// The places of the children with drafts, by the hash of the draft's ID.
  var childrenByDraft = HashIndex()
  // No other code of the context runs while it is accessed.
  @exclusivity(unchecked) var grouping = UndoGrouping()
  /// The step of a child's save. One frame of the journal adds the step to this draft and removes it from the child's
  /// draft.
  var collected: CollectedStep?
  /// Whether changes above a pending save were undone one by one in the draft, which leaves them there as steps to
  /// redo.
  var leavesRedoInDraft = false

  deinit { if let draft { store.drafts.release(draft.topic) } }

  // MARK: State

  /// Whether there are uncommitted changes, or a save of them is under way.
  public var hasChanges: Bool { !overlay.isEmpty || isSaving }

  /// The uncommitted changes: inserted, updated and deleted objects. A save under way is not included.
  public var changes: ChangeSet {
    ChangeSet(overlay.changes.lazy.map { ($0.key, $0.value) }, links: store.map.links, owners: owners)
  }

  /// The owners of ordered relationships whose link gets another place through these changes.
  func owners(of link: AnyObjectID, _ changes: [PropertyChange]) -> [AnyObjectID] {
    guard let map = store.map.map(link.name), let values = try? reading(of: link, map).values else { return [] }
    return changes.compactMap { change in
      store.map.schema.reference(placedBy: change.slot, of: map.entity).flatMap { values[$0].reference }
    }
  }

  /// The ID of this context's draft; `nil` if the uncommitted changes do not survive the process.
  public var draftID: String? { draft?.id }

  /// The losses found when the draft was resumed, one sentence each; usually empty.
  ///
  /// There are three causes:
  ///
  /// - Damage destroyed unsaved edits. In a draft of more than 1,000 edits, damage is found when the edits are read.
  /// - The disk or a restored copy lacks saves that the draft is based on. ``conflicts()`` then reports the properties.
  /// - The models lack properties that the draft changes. Or no migration can convert a value of the draft to the
  ///   present type of its attribute. Or a migration moved objects to another model, and the draft has changes of these
  ///   objects. The first 100 values that were left out are listed.
  ///
  /// If ``Store/mainContext`` has no draft, the array contains the reason, like ``RootContext/draftFailure``. For the
  /// main context, the array also contains the journals that were not read and whose drafts are unknown, like
  /// ``Drafts/journalProblems``.
  public var draftProblems: [String] {
    problemsAtFirst + (unread?.problems.map(\.description) ?? []) + problemsOfStore
  }
  var problemsAtFirst: [String] = []
  /// Losses that only the main context reports.
  var problemsOfStore: [String] { [] }
  /// The part of the resumed draft that is still in the store.
  var unread: UnreadChanges?

  /// The resumed draft was saved or discarded. ``draftProblems`` keeps its damage.
  func forgetUnread() {
    problemsAtFirst += unread?.problems.map(\.description) ?? []
    unread = nil
  }

  /// The node in the tree of screens that owns this context.
  package weak var owner: AnyObject?

  // MARK: Layers

  /// If the context was made before its store was open, and the store is open now: begins at the head.
  func beginOnceOpen() { below?.beginOnceOpen() }

  /// The context below. `nil` if the log is directly below.
  var below: EditingContext? { nil }

  override var layers: [Overlay] { (below?.layers ?? []) + (frozen.map { [$0, overlay] } ?? [overlay]) }

  override func reading(of id: AnyObjectID, _ map: EntityMap) throws(StoreError) -> ObjectReading {
    try overlay.changes.change(of: id).reading(of: id, map.entity) { () throws(StoreError) in
      let saved = try frozen?.changes.change(of: id)
      return try saved.reading(of: id, map.entity) { () throws(StoreError) in try readingBelow(of: id, map) }
    }
  }

  func readingBelow(of id: AnyObjectID, _ map: EntityMap) throws(StoreError) -> ObjectReading {
    guard let below else { return try super.reading(of: id, map) }
    return try below.currentReading(of: id, map)
  }

  override func isInserted(_ id: AnyObjectID) -> Bool {
    if overlay.changes.isInsertion(id) { return true }
    if isSaving, frozen?.changes.isInsertion(id) ?? false { return true }
    return below?.isInserted(id) ?? false
  }

  func isDeletedHere(_ id: AnyObjectID) -> Bool {
    (overlay.changes[id] ?? frozen?.changes[id])?.isDeletion ?? false
  }

  override var holdsNothing: Bool {
    overlay.isPristine && !isSaving && draft == nil && liveChildren.isEmpty && super.holdsNothing
  }

  /// The next step for undo or redo if this overlay has no more. `nil` if there is none. A root context takes it from
  /// the log.
  func savedStep(_ direction: UndoDirection) -> RevertibleTransaction? { nil }

  /// Stages the result of ``savedStep(_:)``.
  func stageSaved(_ direction: UndoDirection) {}

  /// Moves the context to the state that ``valuesBelow(_:_:)`` reads. Does nothing in a child, because a child always
  /// reads its parent's current state.
  func moveToWhatIsBelow() throws(StoreError) {}

  // MARK: Editing

  package override func set(_ value: PropertyValue, at slot: Int, of storage: ObjectStorage) {
    guard !isOutOfReach(storage) else { return }
    if let error = misreadError(of: storage, at: slot) {
      refusedEdits[storage.id] = error
      return
    }
    let old = storage.value(slot)
    if !old.isIdentical(to: value) { record(storage, slot, from: old, to: value) }
  }

  package override func setToOne(_ object: (any PersistentModel)?, at slot: Int, of storage: ObjectStorage) {
    guard let end = store.map.schema.relationship(slot, of: storage.entity), !isOutOfReach(storage) else { return }
    setToOne(object, at: end, of: storage)
  }

  package override func insertMember(_ object: any PersistentModel, into slot: Int, of storage: ObjectStorage) {
    guard let end = store.map.schema.relationship(slot, of: storage.entity), end.isToMany, !isOutOfReach(storage) else {
      return
    }
    insertMember(object, into: end, of: storage)
  }

  package override func insertMember(
    _ object: any PersistentModel, at position: Int, into slot: Int, of storage: ObjectStorage
  ) {
    guard let end = store.map.schema.relationship(slot, of: storage.entity), let places = end.places,
      !isOutOfReach(storage)
    else { return }
    insertMember(object, at: position, into: end, places, of: storage)
  }

  package override func insertMembers(
    _ objects: [any PersistentModel], between lower: (any PersistentModel)?, and upper: (any PersistentModel)?,
    into slot: Int, of storage: ObjectStorage
  ) -> Bool {
    guard let end = store.map.schema.relationship(slot, of: storage.entity), let places = end.places,
      !isOutOfReach(storage)
    else { return true }
    return insertMembers(objects, between: lower, and: upper, into: end, places, of: storage)
  }

  package override func removeMember(_ object: any PersistentModel, from slot: Int, of storage: ObjectStorage) {
    guard let end = store.map.schema.relationship(slot, of: storage.entity), end.isToMany else { return }
    removeMember(object, from: end, of: storage)
  }

  package override func adopt(_ object: any PersistentModel, _ body: () -> Void) {
    group(nil) {
      insertReachable(object)
      body()
    }
  }

  package override func asOneStep(_ body: () -> Void) { group(nil, body) }

  /// Inserts a new object, and every detached object that it refers to directly or indirectly.
  ///
  /// Objects keep the ID that they were created with. You can insert an object again after deleting it in this context
  /// or discarding its insertion. Inserting an existing object does nothing. An object of another context, or of a
  /// model that the store was not opened with, stops the program with a message.
  ///
  /// - Returns: `object`.
  @discardableResult
  public func insert<Model: PersistentModel>(_ object: Model) -> Model {
    insertReachable(object)
    return object
  }

  /// Deletes an object and carries out the delete rules of its relationships, as one undo step.
  ///
  /// `cascade` deletes the objects at the other end, and `nullify` sets their references to `nil`. Afterwards the
  /// deleted object keeps its last values.
  ///
  /// If one of these objects cannot be read, nothing is deleted. ``ObjectContext/readErrors`` then has the reason, and
  /// saves throw until you call `refresh()` or `discard()`.
  ///
  /// Costs time in proportion to the deleted and changed objects. Deleting a deleted object does nothing. An object of
  /// another context stops the program.
  public func delete(_ object: some PersistentModel) {
    requireOwn(object._storage, "delete")
    group(nil) { deleteReachable(object._storage.id) }
  }

  // MARK: Announcing

  /// Whether changes are announced together, later.
  private var announcesLater: Bool { isBatch || below?.announcesLater ?? false }

  override func didChange() {
    isUnannounced = announcesLater
    if !isUnannounced { super.didChange() }
  }

  /// Announces all changes that `body` makes together, here and in the contexts above, even where no turn ends because
  /// there is no isolation.
  func asOneBatch<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    let wasBatch = isBatch
    isBatch = true
    defer {
      isBatch = wasBatch
      if !announcesLater { endBatch() }
    }
    return try body()
  }

  private func endBatch() {
    if isUnannounced { didChange() }
    for child in liveChildren { child.endBatch() }
  }

  func announce() {
    didChange()
    for child in liveChildren { child.announce() }
  }

  // MARK: Opening

  /// Returns when the store is open, and this context and its parents are at the head and have their drafts.
  ///
  /// `ready` waits only if the context's store came from `Store.opening` and is not open yet.
  ///
  /// - Throws: ``StoreError`` if the store could not be opened or was closed. `CancellationError` if the task is
  ///   cancelled meanwhile.
  public nonisolated(nonsending) func ready() async throws {
    try await store.ready()
    beginOnceOpen()
  }

  // MARK: Children

  /// Makes a child context without a draft. Releasing the last reference to it discards its changes.
  public func makeChild() -> ChildContext {
    let child = ChildContext(parent: self)
    attach(child)
    return child
  }
}
