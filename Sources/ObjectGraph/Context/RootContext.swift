import RepriseEventStore
import RepriseObjectModel

/// A context on top of the log: ``save(_:merging:metadata:)`` appends its changes to it.
///
/// A context made in an actor's isolation, most often the main actor's, belongs there: the compiler refuses to send it
/// elsewhere, and it follows the head of the log automatically, between turns of that isolation. A context made in no
/// isolation can be sent, and moves only with ``refresh()`` and ``save(_:merging:metadata:)``.
public final class RootContext: EditingContext {
  /// The author recorded with each transaction.
  public let author: String?
  /// The name of the context, recorded with each transaction.
  public let name: String?
  /// Recorded with each transaction of the context, as the device or the version of the program, by keys of your own;
  /// what a save is given besides has precedence. A few hundred bytes: the log has all of it for each transaction.
  /// See ``LoggedTransaction/metadata``.
  public var metadata: [String: String] = [:]
  /// The date of the transactions that the context saves, in microseconds since 1970-01-01 00:00:00 UTC
  /// (``LoggedTransaction/microseconds``); `nil`, as initially, for the time by the clock. An import sets it to the
  /// date that its source gives a change. What the store was at a date (``Store/position(atMicroseconds:)``) goes by
  /// when it was saved here.
  public var transactionMicroseconds: Int64?
  /// Whether the context moves to the head automatically. Initially true; false keeps it at its position until
  /// ``refresh()`` or a save.
  ///
  /// Always false for a context made in no isolation. An actor's initialiser is not isolated, because the actor does
  /// not exist yet: make the context in a method of the actor for it to follow.
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

  /// Why this context lacks a draft that it should have, like ``Store/mainContext``, so that uncommitted changes do not
  /// survive the process. `nil` if it has a draft, or was made without one.
  public internal(set) var draftFailure: DraftError?

  /// Whether ``EditingContext/undo()`` and ``EditingContext/redo()`` go on with what this context's ``author`` saved,
  /// in this launch or an earlier one, here or in another process. Initially false: they end where the uncommitted
  /// steps end.
  ///
  /// A context without an author goes on with the saves without an author of contexts with the same ``name``; without a
  /// name as well, with what it saved itself since this was set. So nobody undoes an import that gives no author.
  ///
  /// What is undone is staged, like an edit, and the next save appends it, each as a transaction that says what it
  /// takes back (``LoggedTransaction/undoes``): two undos and an edit are three transactions, in one commit. A kill
  /// keeps it in the draft, and ``EditingContext/discard()`` drops it. What other authors saved stays. Where later work
  /// stands in the way, ``EditingContext/mergePolicy`` decides; with `error`, nothing happens, and ``undoFailure`` says
  /// why.
  ///
  /// It goes as far back as the log does. A step costs the events of the transaction, and a look at the log: the first
  /// one after a launch at all that was saved since the transaction, by anybody, each later one at what was not looked
  /// at yet.
  ///
  /// If later work left nothing of the step that ``EditingContext/undoName`` names, `undo()` does nothing, and
  /// ``undoFailure`` is ``ReversalError/nothingLeft(_:)``. The name is then that of the step before it, which the next
  /// `undo()` takes back.
  public var undoesSaves = false
  /// Why the last undo or redo of something saved did nothing; `nil` if it did. ``stageReversal(of:merging:)`` can then
  /// be told what to do about each overlap.
  public internal(set) var undoFailure: ReversalError?
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
  private var awaitedDraft: (id: String, ifPresent: DraftAdoption)?
  private var waitingSaves: [CheckedContinuation<Void, Never>] = []
  private var headObserver: Int?

  /// Makes a context at the head of the log.
  ///
  /// - Parameters:
  ///   - author: The author recorded with each transaction.
  ///   - name: The name of the context, recorded with each transaction.
  ///   - followsHead: False keeps it where it is; see ``followsHead``.
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

  /// Makes a context at the head of the log whose uncommitted changes survive the process: the counterpart of
  /// ``EditingContext/makeChild(draft:ifPresent:)`` for a root.
  ///
  /// - Parameter followsHead: False keeps it where it is; see ``followsHead``.
  /// - Throws: ``DraftError``: another live context uses the ID, here or in another process; or the draft cannot be
  ///   read. Of a context that is made before its store is open, ``draftFailure`` says so then.
  public init(
    _ store: Store, author: String? = nil, name: String? = nil, draft: String, ifPresent: DraftAdoption = .resume,
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
  func takeUp(draft id: String, _ ifPresent: DraftAdoption) throws(DraftError) {
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

  /// Moves to the head of the log, and makes unreadable objects be read again. Uncommitted changes stay; if others
  /// changed the same properties, ``EditingContext/conflicts()`` says so.
  ///
  /// Costs the changes since the context's position to live objects.
  ///
  /// - Throws: ``StoreError`` if the store cannot be read; the context stays where it was.
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
    let changed = try store.changedObjects(after: position, upTo: head)
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
    if mayFollow, !store.isFollowed { turn.end(self) { if $0.followsHead { $0.store.followOtherProcesses() } } }
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
  /// It saves the changes made before the call; edits made while it waits stay uncommitted. A second save waits for the
  /// first. Concurrent saves of several contexts share one commit to the disk, but each has its own transaction and is
  /// checked on its own. A change by others to the same value is not a conflict, unless the value is a number: if two
  /// add 1 to a number concurrently, the second is in conflict. With nothing to save, it returns the current position
  /// and changes nothing, and undone steps can still be redone.
  ///
  /// If these changes are in conflict with saves of others, the save is refused or follows the merge policy; this is
  /// decided within the commit, so no other save comes in between. So are the rules of the models, under every policy:
  /// a save that gives two objects a value that must be unique is refused, whichever contexts or processes they come
  /// from. Afterwards the context and its objects read what was
  /// saved.
  ///
  /// - Parameters:
  ///   - name: The name of the transaction, as in "Rename item".
  ///   - policy: The merge policy of this save; ``EditingContext/mergePolicy`` by default.
  ///   - metadata: Recorded with the transaction, besides what ``metadata`` says for all.
  /// - Returns: The transaction's position.
  /// - Throws: ``SaveError``; unless it is `outcomeUnknown`, nothing was written and the changes are still pending.
  @discardableResult
  nonisolated(nonsending)
    public func save(
      _ name: String? = nil, merging policy: MergePolicy? = nil, metadata: [String: String] = [:]
    ) async throws -> Position
  { try await save(name, author, merging: policy, metadata).position }

  /// Saves like ``save(_:merging:metadata:)``, and returns what that did: whether there was anything to write, and
  /// which objects it inserted, updated and deleted.
  ///
  /// - Parameter author: Recorded with the transaction instead of the context's ``author``.
  nonisolated(nonsending) public func saveChanges(
    _ name: String? = nil, by author: String? = nil, merging policy: MergePolicy? = nil,
    metadata: [String: String] = [:]
  ) async throws -> Saved { try await save(name, author ?? self.author, merging: policy, metadata) }

  /// Appends the uncommitted changes to the log as one transaction of another author than the context's, as where one
  /// context does the work of several users; otherwise like ``save(_:merging:metadata:)``.
  @discardableResult
  nonisolated(nonsending) public func save(
    _ name: String? = nil, by author: String, merging policy: MergePolicy? = nil, metadata: [String: String] = [:]
  ) async throws -> Position { try await save(name, author, merging: policy, metadata).position }

  nonisolated(nonsending) private func save(
    _ name: String?, _ author: String?, merging policy: MergePolicy?, _ metadata: [String: String]
  ) async throws -> Saved {
    while frozen != nil { await withCheckedContinuation { waitingSaves.append($0) } }
    // Checked first: reads that failed since the store was closed would otherwise be given as the reason.
    guard !store.isClosed else { throw SaveError.closed }
    if awaitsStore {
      do throws(StoreError) { try await store.waitUntilOpen() } catch { throw SaveError.store(error) }
      beginOnceOpen()
    }
    let unreadable = unreadable
    guard unreadable.isEmpty else { throw SaveError.unreadable(unreadable) }
    guard !overlay.isEmpty else { return Saved(nothingAt: position, in: store) }
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
    if !drafts.isEmpty { store.endFrame(in: turn.isolation) }
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
          let violations = violations(among: objects)
          if !violations.isEmpty { throw .violations(violations) }
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
      noteDeletions(saved.changes.lazy.map { ($0.key, $0.value) })
      wasSaved(appended, by: author)
      // Live objects read the changes from the log from now on, even if a refresh has already moved there.
      reread(saved.changes.keys)
      recordLiveObjects()
      catchUp()
      return Saved(appended, in: store)
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
      guard case .error(let error) = refusal else { return Saved(nothingAt: position, in: store) }
      throw withOwnRules(error)
    }
  }

  /// Takes note of the deletions that a save had as consequences, and of the transactions that are this context's own.
  private func wasSaved(_ appended: AppendedSave, by author: String?) {
    for transaction in appended.transactions {
      noteDeletions(
        transaction.changes.lazy.compactMap { id, change in
          if case .saved(let change) = change { (id, change) } else { nil }
        })
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
    if !violations.isEmpty {
      throw SaveError.refusal([], outcome.violations + violations, outcome.invalidValues) ?? .violations(violations)
    }
    for (id, values) in outcome.unvalidated { merging.validated?[id] = values }
    return merging
  }

  /// A refusal of the writer's, with what objects find wrong with themselves: where there are conflicts, it has not
  /// asked.
  private func withOwnRules(_ error: SaveError) -> SaveError {
    guard !error.conflicts.isEmpty, changesValidatedObjects, let outcome = try? merge(validating(Merging())) else {
      return error
    }
    let own = violations(among: outcome.unvalidated).filter { !error.violations.contains($0) }
    return SaveError.refusal(error.conflicts, error.violations + own, error.invalidValues) ?? error
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
