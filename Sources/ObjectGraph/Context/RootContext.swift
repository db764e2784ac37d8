import RepriseEventStore
import RepriseObjectModel

/// A context on top of the log: ``save(_:merging:)`` appends its changes to it.
///
/// Made in an actor's isolation (the main actor's, most often) it belongs there: the compiler refuses to hand it away,
/// and it follows the head of the log by itself, between turns of that isolation. Made in no isolation it can be sent,
/// and moves only with ``refresh()`` and ``save(_:merging:)``.
public final class RootContext: EditingContext {
  /// Who edits: recorded with each transaction.
  public let author: String?
  /// What the context is called in the transactions that it saves.
  public let name: String?
  /// Whether the context moves to the head by itself. True from the start; false keeps it at its position until
  /// ``refresh()`` or a save.
  ///
  /// Always false for a context that was made in no isolation. An actor's initialiser is none, as the actor is not
  /// there yet: make the context in a method of the actor for it to follow.
  public var followsHead: Bool {
    get { mayFollow && turn.isolation != nil }
    set {
      let followed = followsHead
      mayFollow = newValue
      if followsHead && !followed { headMoved() }
    }
  }
  private var mayFollow = true

  /// Why this context has no draft though it should have one, as ``Store/mainContext`` should: what is not saved here
  /// does not survive the process. `nil` if it has one, or was made without.
  public internal(set) var draftFailure: DraftError?

  private var waitingSaves: [CheckedContinuation<Void, Never>] = []
  private var headObserver: Int?

  /// A context at the head of the log.
  ///
  /// - Parameters:
  ///   - author: Who edits; recorded with each transaction.
  ///   - name: What the context is called in the transactions that it saves.
  public init(
    _ store: Store, author: String? = nil, name: String? = nil, isolation: isolated (any Actor)? = #isolation
  ) {
    self.author = author
    self.name = name
    super.init(store: store, turn: ContextTurn(isolation: isolation), pinned: store.pinAtHead())
    if isolation != nil { follow() }
  }

  /// A context at the head of the log, whose uncommitted changes survive the process: as
  /// ``EditingContext/makeChild(draft:ifPresent:)``, for a root.
  ///
  /// - Throws: ``DraftError``: the ID is in use by another live context, here or in another process; it cannot be read.
  public init(
    _ store: Store, author: String? = nil, name: String? = nil, draft: String, ifPresent: DraftAdoption = .resume,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    self.author = author
    self.name = name
    super.init(store: store, turn: ContextTurn(isolation: isolation), pinned: store.pinAtHead())
    try takeUp(draft: draft, ifPresent)
    if isolation != nil { follow() }
  }

  /// Gives a new context a draft, with the edits that are in it; at a position that has all that was saved of it.
  func takeUp(draft id: String, _ ifPresent: DraftAdoption) throws(DraftError) {
    let (recorder, image) = try takeDraft(id, parent: nil, author: author, ifPresent)
    begin(recorder, image)
    // A failure to read shows at the next read.
    try? moveToWhatIsBelow()
  }

  deinit { if let headObserver { store.removeHeadObserver(headObserver) } }

  // MARK: Moving

  /// Moves to the head of the log, and lets unreadable objects be read again. Uncommitted changes stay above it; where
  /// others changed the same, ``EditingContext/conflicts()`` says so.
  ///
  /// Costs what changed since the context's position, of the objects that are live.
  ///
  /// - Throws: ``StoreError`` if the store cannot be read; the context stays where it was.
  public func refresh() throws {
    let head = try store.refreshedHead()
    forgetFaults()
    try move(to: head)
  }

  override func moveToWhatIsBelow() throws(StoreError) { try move(to: store.refreshedHead()) }

  private func move(to head: Position) throws(StoreError) {
    guard head > position else { return }
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
  }

  /// News of the head that came during a save was passed over.
  private func catchUp() { if headObserver != nil { headMoved() } }

  /// In a turn of its own.
  func headMoved() {
    guard followsHead, frozen == nil, let head = try? store.refreshedHead() else { return }
    // A failure to read shows at the next read.
    try? move(to: head)
  }

  // MARK: Saving

  /// Appends the uncommitted changes to the log, as one transaction, and moves there.
  ///
  /// The changes are those at the time of the call; edits made while it waits lie above them and stay uncommitted. A
  /// second save waits for the first. Saves of several contexts at the same time share one commit to the disk; each has
  /// its own transaction and is checked on its own. What others changed to the very same value is agreed, unless it is
  /// a number: of two who add 1 to one number at the same time, the second is in conflict. With nothing to save, it
  /// returns the present position and changes nothing: what was undone can still be redone.
  ///
  /// Where others changed what these changes rest on, the save is refused with conflicts, or does what the merge policy
  /// says; in the commit, so that nobody comes in between. The context and its objects then read what was saved.
  ///
  /// - Parameters:
  ///   - name: What the transaction is called, as in "Rename item".
  ///   - policy: The merge policy of this save; ``EditingContext/mergePolicy`` if it is left out.
  /// - Returns: The transaction's position.
  /// - Throws: ``SaveError``; unless it is `outcomeUnknown` nothing was written, and the changes are as pending as
  ///   before.
  @discardableResult
  nonisolated(nonsending)
    public func save(_ name: String? = nil, merging policy: MergePolicy? = nil) async throws -> Position
  {
    while frozen != nil { await withCheckedContinuation { waitingSaves.append($0) } }
    // What could not be read since then would be given as the reason.
    guard !store.isClosed else { throw SaveError.closed }
    guard failedReads.isEmpty else { throw SaveError.unreadable(failedReads.keys.sorted()) }
    guard !overlay.isEmpty else { return position }
    let merging: Merging
    do { merging = try self.merging(policy ?? mergePolicy) } catch { throw SaveError.store(error) }
    let saved = overlay
    overlay = Overlay()
    frozen = saved
    endTyping()
    let takenDrafts = takenDrafts
    self.takenDrafts = []
    let own = draft?.freeze()
    let drafts = takenDrafts + (own.map { [$0] } ?? [])
    // What is edited while the save waits is not part of it, and not in the frame that is written before it.
    if !drafts.isEmpty { store.journal.endFrame() }
    let request = SaveRequest(
      base: position, author: author, contextName: self.name, name: name,
      changes: saved.changes.map { ($0.key, $0.value) }, merging: merging, drafts: drafts)
    let result = await store.save(request)
    frozen = nil
    defer {
      leavesRedoInDraft = false
      let waiting = waitingSaves
      waitingSaves = []
      for continuation in waiting { continuation.resume() }
    }
    switch result {
    case .success(let position):
      if let own { draft?.saved(own) }
      if leavesRedoInDraft && overlay.isPristine { draft?.empty(in: self) }
      do {
        try move(to: position)
      } catch {
        invalidateAllHereAndInChildren()
      }
      // Live objects read them from the log from now on, also where a refresh has moved there already.
      reread(saved.changes.keys)
      catchUp()
      return position
    case .failure(let error):
      let above = overlay
      overlay = saved
      overlay.append(above)
      if leavesRedoInDraft {
        overlay.forgetRedo()
        draft?.rewritten(overlay, undoing: nil, in: self)
      }
      take(takenDrafts)
      // What one layer deleted and the other brought back is neither, now that they are one.
      reread(above.changes.keys)
      catchUp()
      throw error
    }
  }
}

/// Brings the news of a new head into a context's isolation, one job at a time.
private final class HeadFollower: Sendable {
  private let confined: Confined
  private let isolation: (any Actor)?

  /// Safe: made in the isolation, and looked into nowhere else.
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
