import RepriseEventStore
import RepriseObjectModel

/// A context directly on the log: ``save(_:merging:metadata:)`` appends its changes to the log.
///
/// A context made in an actor's isolation, usually the main actor's, belongs to that actor. The compiler then rejects
/// sending it elsewhere. Such a context follows the head of the log automatically, between turns of the actor. A
/// context made in no isolation can be sent, and moves only with ``refresh()`` and ``save(_:merging:metadata:)``.
public final class RootContext: EditingContext {
  /// The author recorded with each transaction. `StoreMaintenance.erase` keeps it: use the ID of a user, not the name.
  public let author: String?
  /// The name of the context, recorded with each transaction.
  public let name: String?
  /// Your own keys and values, recorded with each transaction, such as the device or the program's version.
  ///
  /// Metadata passed to a save overrides equal keys. Keep it to a few hundred bytes, because the log stores a copy for
  /// each transaction. See ``LoggedTransaction/metadata``.
  public var metadata: [String: String] = [:]
  /// The date to record with transactions, in microseconds since 1970-01-01 00:00:00 UTC; `nil` for the current time.
  ///
  /// The date is `nil` at first. An import can set the date that its source gives for a change. The date is returned as
  /// ``LoggedTransaction/microseconds``. ``TransactionLog/position(atMicroseconds:)`` uses the time of the save.
  public var transactionMicroseconds: Int64?
  /// Whether the context moves to the head automatically.
  ///
  /// If false, it moves only with ``refresh()`` or a save. The property is true at first, unless you pass false to the
  /// initialiser. For a context made in no isolation, the property is always false. An actor's initialiser is not
  /// isolated, because the actor does not exist yet. Make the context in a method of the actor so that it follows.
  public var followsHead: Bool {
    get { mayFollow && turn.isolation != nil }
    set {
      let followed = followsHead
      mayFollow = newValue
      guard followsHead && !followed else { return }
      headMoved()
      followOthers()
    }
  }
  private var mayFollow = true

  /// Whether it was made in the isolation of an actor, which lets it follow.
  package var isOfActor: Bool { turn.isolation != nil }

  /// The reason why this context lacks a draft that it should have, so that its changes do not survive the process.
  ///
  /// The property is `nil` if the context has a draft, or was made without one. For example, ``Store/mainContext``
  /// should have a draft.
  public internal(set) var draftFailure: DraftError?

  /// Whether it is the main actor's context.
  var isMain = false
  override var problemsOfStore: [String] {
    isMain ? (draftFailure.map { [$0.description] } ?? []) + store.drafts.unreadJournals : []
  }

  /// Whether ``EditingContext/undo()`` and ``EditingContext/redo()`` continue with saved transactions of this context's
  /// ``author``.
  ///
  /// The property is false at first, and undo ends with the first uncommitted step. If true, undo continues with saves
  /// from this launch or an earlier one, in this process or another one.
  ///
  /// A context without an author continues with saves without an author from contexts with the same ``name``. A context
  /// with neither continues only with its own saves since this was set. So undo never reverses another context's import
  /// that has neither.
  ///
  /// Undoing a save stages a reversal, like an edit. The next save appends each reversal as a transaction of its own,
  /// whose ``LoggedTransaction/undoes`` names the reversed one. For example, two undos and an edit become three
  /// transactions in one commit. The draft keeps staged reversals if the process is killed, and
  /// ``EditingContext/discard()`` drops them. Saves of other authors stay. If later changes conflict,
  /// ``EditingContext/mergePolicy`` decides. With `error`, nothing happens, and ``undoFailure`` has the reason.
  ///
  /// Undo can go back to the beginning of the log. A step costs time in proportion to the events of its transaction.
  /// The first step after a launch also scans all saves since that transaction, by any author. Later steps scan only
  /// transactions that were not scanned yet.
  ///
  /// If later saves left nothing of the step that ``EditingContext/undoName`` names, `undo()` does nothing.
  /// ``undoFailure`` is then ``RevertError/nothingLeft(_:)``. ``EditingContext/undoName`` then names the step before
  /// it, which the next `undo()` reverses.
  public var undoesSaves = false
  /// The reason why the last undo or redo of a saved step did nothing; `nil` if it succeeded.
  ///
  /// To decide each conflict, call ``revert(transactionAt:merging:)`` with a custom policy.
  public internal(set) var undoFailure: RevertError?
  /// The steps of the log of which undo or redo found nothing left. Others' saves may bring them back.
  var passedSteps: [Position] = []
  /// The transactions that this context saved, ascending, if it has neither an author nor a name by which to know them.
  private(set) var ownSaves: [Position] = []
  /// What was last found to be undone and redone; `nil` if nobody asked yet.
  var knownUndo: UndoableTransactions?
  /// What the last reversal knew of long texts.
  var reversedObjects = ReversedObjects()

  /// Whether it was made before its store was open, and has not begun.
  private var awaitsStore = false
  /// The draft that it takes up then.
  private var awaitedDraft: (id: String, ifPresent: ExistingDraftPolicy)?
  private var waitingSaves: [CheckedContinuation<Void, Never>] = []
  private var headObserver: Int?

  /// Makes a context at the head of the log, without a draft.
  ///
  /// - Parameters:
  ///   - store: The store to read and edit. It may still be opening; see ``EditingContext/ready()``.
  ///   - author: The author recorded with each transaction.
  ///   - name: The name of the context, recorded with each transaction.
  ///   - followsHead: False keeps the context at its position; see ``followsHead``.
  ///   - isolation: The isolation that the context and its objects belong to.
  public init(
    _ store: Store, author: String? = nil, name: String? = nil, followsHead: Bool = true,
    isolation: isolated (any Actor)? = #isolation
  ) {
    self.author = author
    self.name = name
    mayFollow = followsHead
    super.init(store: store, turn: ContextTurn(isolation: isolation), pinned: store.pinAtHead())
    awaitsStore = isResting
    if isolation != nil { follow() }
  }

  /// Makes a context at the head of the log whose uncommitted changes survive the process.
  ///
  /// The context has a draft, like a child made with ``EditingContext/makeChild(draft:ifPresent:)``.
  ///
  /// - Parameters:
  ///   - store: The store to read and edit. It may still be opening; see ``EditingContext/ready()``.
  ///   - author: The author recorded with each transaction.
  ///   - name: The name of the context, recorded with each transaction.
  ///   - draft: The draft's ID, 1 to 4,096 bytes of UTF-8 in composed form (NFC).
  ///   - ifPresent: The reaction to an existing draft with that ID.
  ///   - followsHead: False keeps the context at its position; see ``followsHead``.
  ///   - isolation: The isolation that the context and its objects belong to.
  /// - Throws: ``DraftError`` if another live context or process uses the ID, or if the draft cannot be read. If the
  ///   store is still opening, the initialiser does not throw, and ``draftFailure`` has the error later.
  public init(
    _ store: Store, author: String? = nil, name: String? = nil, draft: String, ifPresent: ExistingDraftPolicy = .resume,
    followsHead: Bool = true, isolation: isolated (any Actor)? = #isolation
  ) throws {
    self.author = author
    self.name = name
    mayFollow = followsHead
    super.init(store: store, turn: ContextTurn(isolation: isolation), pinned: store.pinAtHead())
    awaitsStore = isResting
    try takeUp(draft: draft, ifPresent)
    if isolation != nil { follow() }
  }

  /// Gives a new context a draft with its edits, and moves it to a position that includes all saves of the draft.
  func takeUp(draft id: String, _ ifPresent: ExistingDraftPolicy) throws(DraftError) {
    if awaitsStore {
      awaitedDraft = (id, ifPresent)
      return
    }
    let (recorder, image) = try takeDraft(id, parent: nil, author: author, ifPresent)
    begin(recorder, image)
    // The next read reports a failure.
    try? moveToWhatIsBelow()
  }

  override func savedStep(_ direction: UndoDirection) -> UndoStep? { try? nextSavedStep(direction) }
  override func stageSaved(_ direction: UndoDirection) { stageNextSavedStep(direction) }

  deinit { if let headObserver { store.removeHeadObserver(headObserver) } }

  // MARK: Beginning

  /// Where the context was made before its store was open: moves to the head, and takes up the draft.
  override func beginOnceOpen() {
    guard awaitsStore, store.isReady else { return }
    awaitsStore = false
    forgetFaults()
    do throws(DraftError) {
      if let draft = awaitedDraft {
        awaitedDraft = nil
        let held = overlay
        overlay = Overlay()
        defer { if !held.isPristine { add(held) } }
        try takeUp(draft: draft.id, draft.ifPresent)
      }
    } catch {
      draftFailure = error
    }
    invalidateAllHereAndInChildren()
    didChange()
    if headObserver != nil { followOthers() }
  }

  /// Steps that were made before the context had its draft.
  private func add(_ held: Overlay) {
    overlay.append(held)
    draft?.added(held, in: self)
  }

  // MARK: Moving

  /// Moves to the head of the log, and reads unreadable objects again when they are next used.
  ///
  /// Uncommitted changes stay. If another save changed the same properties, ``EditingContext/conflicts()`` reports it.
  ///
  /// Costs a step for each change saved since the context's position. Changed live objects are read again when they are
  /// next used.
  ///
  /// - Throws: ``StoreError`` if the store cannot be read. Then the context stays at its position.
  public func refresh() throws {
    beginOnceOpen()
    let head = try store.refreshedHead()
    forgetFaults()
    try move(to: head)
    recordLiveObjects()
  }

  override func moveToWhatIsBelow() throws(StoreError) { try move(to: store.refreshedHead()) }

  /// - Parameter isOwn: Whether this context's save made the head.
  private func move(to head: Position, isOwn: Bool = false) throws(StoreError) {
    guard head > position else { return }
    if !isOwn { passedSteps = [] }
    let changed = try store.objects.changed(after: position, upTo: head)
    moved(to: head)
    if let changed {
      invalidate(changed)
      invalidateInChildren(changed)
    } else {
      invalidateAllHereAndInChildren()
    }
    didChange()
  }

  private func follow() {
    let scheduled = HeadFollower(self, turn)
    headObserver = store.observeHead { scheduled.headMoved() }
    // It may have been opened before it was observed.
    if awaitsStore { beginOnceOpen() } else { followOthers() }
  }

  /// Follows other processes as well: after the turn, in which screens may be restored, because it starts a thread.
  private func followOthers() {
    if mayFollow, !store.others.hasFollower {
      turn.end(self) { if $0.followsHead { $0.store.others.follow($0.store) } }
    }
  }

  /// Notifications of a new head are ignored during a save, so they are made up for here.
  private func catchUp() { if headObserver != nil { headMoved() } }

  /// Runs in a turn of its own.
  func headMoved() {
    beginOnceOpen()
    // Its store could not be opened.
    if awaitsStore { return announce() }
    guard followsHead, frozen == nil, let head = try? store.refreshedHead() else { return }
    // The next read reports a failure.
    try? move(to: head)
  }

  // MARK: Saving

  /// Appends the uncommitted changes to the log as one transaction, and moves to its position.
  ///
  /// The save contains the changes made before the call. Edits made while it waits stay uncommitted. A second save
  /// waits for the first one. Saves of several contexts at once share one commit to the disk, but each has its own
  /// transaction. If there are no changes, `save` returns the current position and does nothing, and undone steps can
  /// still be redone.
  ///
  /// If the changes conflict with another save, the merge policy decides. By default, `save` throws
  /// `SaveError.refused`. The check is part of the commit, so no other save can come between. Two saves that set a
  /// property to the same value do not conflict, unless the value is a number. For example, if two contexts each add 1
  /// to a number, the second save conflicts.
  ///
  /// Every policy also checks the rules of the models within the commit. For example, `save` throws
  /// `SaveError.refused` if two objects would have the same unique value, even if another process saved one of them.
  /// Afterwards the context and its objects show the saved values, including merged ones.
  ///
  /// - Parameters:
  ///   - name: The name of the transaction, as in "Rename item".
  ///   - policy: The merge policy of this save; ``EditingContext/mergePolicy`` by default.
  ///   - metadata: Recorded with the transaction in addition to ``metadata``, whose equal keys it overrides.
  /// - Returns: The transaction's position.
  /// - Throws: ``SaveError``. `CancellationError` if the task is cancelled, and the save has waited for a second or
  ///   longer for another process that writes. Unless it is `SaveError.outcomeUnknown`, nothing was written, and the
  ///   changes are still uncommitted.
  @discardableResult
  nonisolated(nonsending)
    public func save(
      _ name: String? = nil, merging policy: MergePolicy? = nil, metadata: [String: String] = [:]
    ) async throws -> Position
  { try await save(name, author, merging: policy, metadata).position }

  /// Saves like ``save(_:merging:metadata:)``, and returns the transaction's position and the changed objects.
  ///
  /// - Parameters:
  ///   - name: The name of the transaction, as in "Rename item".
  ///   - author: The author recorded with the transaction; the context's ``author`` by default.
  ///   - policy: The merge policy of this save; ``EditingContext/mergePolicy`` by default.
  ///   - metadata: Recorded with the transaction in addition to ``metadata``, whose equal keys it overrides.
  /// - Returns: The result, whose ``SaveResult/isEmpty`` is true if there was nothing to write.
  /// - Throws: ``SaveError`` or `CancellationError`, like ``save(_:merging:metadata:)``.
  nonisolated(nonsending) public func saveChanges(
    _ name: String? = nil, by author: String? = nil, merging policy: MergePolicy? = nil,
    metadata: [String: String] = [:]
  ) async throws -> SaveResult { try await save(name, author ?? self.author, merging: policy, metadata) }

  /// Saves like ``save(_:merging:metadata:)``, and records `author` instead of the context's ``author``.
  ///
  /// Use it if one context does the work of several users, as in a server.
  @discardableResult
  nonisolated(nonsending) public func save(
    _ name: String? = nil, by author: String, merging policy: MergePolicy? = nil, metadata: [String: String] = [:]
  ) async throws -> Position { try await save(name, author, merging: policy, metadata).position }

  nonisolated(nonsending) private func save(
    _ name: String?, _ author: String?, merging policy: MergePolicy?, _ metadata: [String: String]
  ) async throws -> SaveResult {
    while frozen != nil { await withCheckedContinuation { waitingSaves.append($0) } }
    // Checked first: reads that failed since the store was closed would otherwise be given as the reason.
    guard !store.isClosed else { throw SaveError.store(.closed(path: store.path)) }
    if awaitsStore {
      do throws(StoreError) { try await store.waitUntilOpen() } catch { throw SaveError.store(error) }
      beginOnceOpen()
    }
    let unreadable = unreadable
    guard unreadable.isEmpty else { throw SaveError.unreadable(unreadable) }
    guard !overlay.isEmpty else { return SaveResult(nothingAt: position, in: store) }
    var merging = try validatedMerging(policy ?? mergePolicy)
    // Up to where what was read is known to be as it was read. A context that follows the head may be further.
    var head = reads?.since
    let saved = overlay
    overlay = Overlay()
    frozen = saved
    endTyping()
    let takenDrafts = takenDrafts
    self.takenDrafts = []
    let own = draft?.freeze()
    let drafts = takenDrafts + (own.map { [$0] } ?? [])
    // Edits made while the save waits are not part of it, so they go into a later frame than the one written before it.
    if !drafts.isEmpty { store.journals.endFrame(in: turn.isolation) }
    let parts = saved.parts(named: name)
    let metadata = self.metadata.merging(metadata) { _, own in own }
    func request() -> SaveRequest {
      SaveRequest(
        base: position, author: author, contextName: self.name, name: name, metadata: metadata,
        wallTime: transactionMicroseconds, changes: saved.changes.map { ($0.key, $0.value) }, parts: parts,
        merging: merging, head: head, drafts: drafts)
    }
    var result = await store.save(request())
    saving: while case .failure(let refusal) = result {
      do throws(SaveError) {
        switch refusal {
        case .error(let error): throw error
        case .unvalidated(let objects):
          if let refusal = SaveRefusal(of: .save, [], violations(among: objects)) { throw .refused(refusal) }
          for (id, values) in objects { merging.validated?[id] = values }
        case .moved: head = try requireReads()
        case .cancelled: break saving
        }
      } catch {
        result = .failure(.error(error))
        break
      }
      result = await store.save(request())
    }
    frozen = nil
    defer {
      leavesRedoInDraft = false
      let waiting = waitingSaves
      waitingSaves = []
      for continuation in waiting { continuation.resume() }
    }
    switch result {
    case .success(let appended):
      forgetUnread()
      if let own { draft?.saved(own, isAll: overlay.isPristine) }
      if leavesRedoInDraft && overlay.isPristine { draft?.empty(in: self) }
      do {
        try move(to: appended.position, isOwn: true)
      } catch {
        invalidateAllHereAndInChildren()
      }
      noteDeletions(saved.changes.lazy.filter(\.value.isDeletion).map(\.key))
      wasSaved(appended, by: author)
      // Live objects read the changes from the log from now on, even if a refresh has already moved there.
      reread(saved.changes.keys)
      recordLiveObjects()
      catchUp()
      return SaveResult(appended, in: store)
    case .failure(let refusal):
      let above = overlay
      overlay = saved
      overlay.append(above)
      if leavesRedoInDraft {
        overlay.forgetRedo()
        draft?.rewritten(overlay, undoing: nil, in: self)
      }
      take(takenDrafts)
      // Merging the layers can cancel out a deletion in one and an insertion in the other.
      reread(above.changes.keys)
      catchUp()
      if case .cancelled = refusal { throw CancellationError() }
      // The loop has left no other.
      guard case .error(let error) = refusal else { return SaveResult(nothingAt: position, in: store) }
      throw withOwnRules(error)
    }
  }

  /// Takes note of the deletions that a save had as consequences, and of the transactions that are this context's own.
  private func wasSaved(_ appended: AppendedSave, by author: String?) {
    for transaction in appended.transactions {
      noteDeletions(transaction.deleted)
      if undoesSaves, author == nil, name == nil { ownSaves.append(transaction.position) }
    }
  }

  /// The head, if what was read would be read as it was.
  private func requireReads() throws(SaveError) -> Position? {
    guard let reads else { return nil }
    let head: Position
    do throws(StoreError) { head = try store.refreshedHead() } catch { throw .store(error) }
    if let objects = try reads.overtaken(upTo: head) { throw .overtaken(objects) }
    return head
  }

  /// How a save merges, with what its objects find right by now. Throws if they find anything wrong, which is told with
  /// all other violations.
  private func validatedMerging(_ policy: MergePolicy) throws(SaveError) -> Merging {
    var merging: Merging
    let outcome: MergeOutcome
    do throws(StoreError) {
      try overlay.changes.readAll()
      merging = try validating(self.merging(policy))
      guard changesValidatedObjects else { return merging }
      outcome = try merge(merging)
    } catch {
      throw .store(error)
    }
    // With conflicts, it is for the writer to say.
    if !outcome.conflicts.isEmpty { return merging }
    let violations = violations(among: outcome.unvalidated)
    if !violations.isEmpty,
      let refusal = SaveRefusal(of: .save, [], outcome.violations + violations, outcome.invalidValues)
    {
      throw .refused(refusal)
    }
    for (id, values) in outcome.unvalidated { merging.validated?[id] = values }
    return merging
  }

  /// A refusal of the writer's, with what objects find wrong with themselves: where there are conflicts, it has not
  /// asked.
  private func withOwnRules(_ error: SaveError) -> SaveError {
    guard case .refused(let refusal) = error, !refusal.conflicts.isEmpty, changesValidatedObjects,
      let outcome = try? merge(validating(Merging()))
    else { return error }
    let own = violations(among: outcome.unvalidated).filter { !refusal.violations.contains($0) }
    return SaveRefusal(of: .save, refusal.conflicts, refusal.violations + own, refusal.invalidValues)
      .map(SaveError.refused) ?? error
  }

  private var changesValidatedObjects: Bool {
    store.map.validates && overlay.changes.keys.contains { store.map.map($0.name)?.entity.validation != nil }
  }
}

/// Notifies a context of a new head, in its isolation.
private final class HeadFollower: Sendable {
  private let confined: Confined
  private let isolation: (any Actor)?

  /// Safe: it is made in the isolation, and its content is used nowhere else.
  private struct Confined: @unchecked Sendable {
    weak let context: RootContext?
  }

  init(_ context: RootContext, _ turn: ContextTurn) {
    confined = Confined(context: context)
    isolation = turn.isolation
  }

  func headMoved() {
    guard let isolation else { return }
    Task { await follow(on: isolation) }
  }

  private func follow(on isolation: isolated any Actor) { confined.context?.headMoved() }
}
