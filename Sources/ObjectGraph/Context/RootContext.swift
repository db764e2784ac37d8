import RepriseEventStore
import RepriseObjectModel

/// A context directly on the log: ``save(_:merging:metadata:)`` appends its changes to the log.
///
/// A context made in an actor's isolation, usually the main actor's, belongs to that actor. The compiler then rejects
/// sending it elsewhere. Such a context follows the head of the log automatically, between turns of the actor. A
/// context made in no isolation can be sent, and moves only with ``refresh()`` and ``save(_:merging:metadata:)``.
public final class RootContext: EditingContext {
  /// The author recorded with each transaction. `StoreMaintenance.erase` cannot erase it, so use the ID of a user, not
  /// the name.
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

  /// Whether the context was made in the isolation of an actor. Only such a context can follow the head.
  package var isOfActor: Bool { turn.isolation != nil }

  /// The reason why this context lacks a draft that it should have, so that its changes do not survive the process.
  ///
  /// The property is `nil` if the context has its draft, or was made without a draft on purpose. A context that should
  /// have a draft is, for example, ``Store/mainContext``.
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
  /// If the context has no author, undo continues with saves without an author from contexts with the same ``name``. If
  /// the context has neither an author nor a name, undo continues only with its own saves since you set this property.
  /// So undo does not reverse an import by another context without author and name.
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
  /// The steps of the log in which undo or redo found nothing to revert. Saves of other contexts may change that.
  var passedSteps: [Position] = []
  /// The transactions that this context saved, ascending, if it has neither an author nor a name to identify them.
  var ownSaves: [Position] = []
  /// The last result of looking for undoable transactions. `nil` if there was no look-up yet.
  var knownUndo: UndoableTransactions?
  /// The objects with long texts that the last reversal read.
  var reversedObjects = ReversedObjects()

  /// Whether the context was made before its store was open, and has not begun yet.
  var awaitsStore = false
  /// The draft that the context takes up when it begins.
  private var awaitedDraft: (id: String, ifPresent: ExistingDraftPolicy)?
  var waitingSaves: [CheckedContinuation<Void, Never>] = []
  private(set) var headObserver: Int?
  /// Whether its saves may block the thread until the disk has them.
  var mayBlock = false

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
    if let isolation { follow(in: isolation) }
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
    if let isolation { follow(in: isolation) }
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

  override func savedStep(_ direction: UndoDirection) -> RevertibleTransaction? { try? nextSavedStep(direction) }
  override func stageSaved(_ direction: UndoDirection) { stageNextSavedStep(direction) }

  deinit { if let headObserver { store.removeHeadObserver(headObserver) } }

  // MARK: Beginning

  /// If the context was made before its store was open: moves to the head, and takes up the draft.
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
  /// Takes a step for each change saved since the context's position. The context reads changed live objects again when
  /// they are next used.
  ///
  /// - Throws: ``StoreError`` if the store cannot be read, or if its file was deleted or replaced. Then the context
  ///   stays at its position.
  public func refresh() throws {
    beginOnceOpen()
    let head = try store.refreshedHead()
    try store.requireOwnFile()
    forgetFaults()
    try move(to: head)
    recordLiveObjects()
  }

  override func moveToWhatIsBelow() throws(StoreError) { try move(to: store.refreshedHead()) }

  /// - Parameter isOwn: Whether this context's save made the head.
  func move(to head: Position, isOwn: Bool = false) throws(StoreError) {
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

  private func follow(in isolation: any Actor) {
    let confined = Confined(context: self)
    headObserver = store.observeHead { ContextTurn.begin(on: isolation) { confined.context?.headMoved() } }
    // The store may have been opened before `observeHead`.
    if awaitsStore { beginOnceOpen() } else { followOthers() }
  }

  /// Also follows the saves of other processes. Starts at the end of the turn, because it starts a thread, and the turn
  /// may restore screens.
  private func followOthers() {
    if mayFollow, !store.others.hasFollower {
      turn.end(self) { if $0.followsHead { $0.store.others.follow($0.store) } }
    }
  }

  /// Moves to the head after a save, because notifications during the save were ignored.
  func catchUp() { if headObserver != nil { headMoved() } }

  /// Runs in a separate turn.
  func headMoved() {
    beginOnceOpen()
    // The store could not be opened.
    if awaitsStore { return announce() }
    guard followsHead, frozen == nil, let head = try? store.refreshedHead() else { return }
    // The next read reports a failure.
    try? move(to: head)
  }
}

/// A context that is used only in its isolation.
///
/// Safe: the value is made in the isolation, and its content is used nowhere else.
private struct Confined: @unchecked Sendable {
  weak let context: RootContext?
}
