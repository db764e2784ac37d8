import RepriseJournal
import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// A summary of a draft. A draft is uncommitted edits that the store keeps.
public struct DraftInfo: Equatable, Sendable {
  /// The ID under which the context was made.
  public let id: String
  /// The draft of the parent context; `nil` for a root context, or a child of a root without a draft.
  public let parent: String?
  /// The author of the edits.
  public let author: String?
  /// The position that the edits are based on.
  public let position: Position
  /// The objects that the edits change; empty if the edits are unreadable.
  public let objects: [AnyObjectID]
  /// The time of the last recorded change, in microseconds since 1970-01-01 00:00 UTC by the wall clock; `nil` if
  /// damage removed the time.
  ///
  /// If the clock was ahead at that change, the time of the change is not known. Then this is the present time, never a
  /// later one.
  public let changedAt: Int64?
  /// The number of bytes that the journal and the store keep of the draft.
  public let byteCount: Int
  /// The number of calls of `undo()` that revert all edits of the draft.
  public let groupCount: Int
  /// The name of the last undo group; `nil` if it has none.
  public let lastGroupName: String?
  /// The changes of the first ten objects; empty if the edits are unreadable.
  public let preview: [DraftPreview]
  /// The reason why the program's models cannot read the edits; `nil` if they can. The store keeps the edits either
  /// way.
  public let unreadableReason: String?
  /// One sentence for each loss in the draft, usually none. `draftProblems` of a context that resumes the draft has the
  /// same sentences.
  public let problems: [String]
  /// Whether a live context, in this process or another, has claimed the draft.
  public let isInUse: Bool
  /// The ID of the process whose context has claimed the draft. `nil` if no context has, for example because the
  /// process was killed.
  ///
  /// A process in another container reports the ID that it has there.
  public let process: Int32?
  /// Whether some of the values cannot be converted to the present types of their attributes. ``problems`` lists them,
  /// also if the draft has no other edits.
  package let hasUnconverted: Bool
  /// All edits, by object.
  package let changes: ObjectMap<ObjectChange>
}

/// Lists, discards and monitors the uncommitted edits that a store keeps.
///
/// ``Store/drafts`` returns it:
///
/// ```swift
/// for draft in try store.drafts.all() { print(draft.id, draft.objects.count) }
/// try store.drafts.discard("editor-7")
/// ```
///
/// A value of this type only refers to its store, so making one costs nothing. Each call sees the current state of the
/// store.
public struct Drafts: Sendable {
  let store: Store
}

extension Store {
  /// The uncommitted edits that the store keeps.
  public var drafts: Drafts { Drafts(store: self) }
}

extension Drafts {
  /// All drafts that were begun and not ended, ordered by ID. Use the list for a screen that offers to recover lost
  /// work. It includes drafts that no screen requests any more.
  ///
  /// The list has the drafts of all processes. It may lack the edits of the last 250 ms that another process made. A
  /// store that `Store.open(inspecting:)` opened also lists the drafts of killed processes, and takes none over.
  ///
  /// The cost grows with the size of the drafts, not of the store.
  ///
  /// - Throws: ``StoreError`` if the store or a journal cannot be read.
  public func all() throws -> [DraftInfo] {
    try store.requireOpen()
    let recovery: JournalRecovery
    do throws(JournalError) {
      let others = try store.journal.othersJournals()
      recovery = try store.journal.recovery().adding(others)
    } catch {
      throw StoreError(error, path: store.path)
    }
    let map = store.map
    let conversion = store.conversions.ofDrafts(map)
    return try store.read { (view, _) throws(StorageError) in
      var infos: [DraftInfo] = []
      let now = store.journal.core.options.clock.wallTime()
      for draft in try recovery.draftIDs(view).ids.sorted().map(JournalTopic.draft) {
        guard
          let found = try checkingBase(of: recovery.draft(draft, view, map, conversion, partly: true), copy view)
        else { continue }
        let claimed = store.journal.isClaimed(draft)
        var measure = try recovery.measure(draft, view)
        measure.changedAt = min(measure.changedAt, now)
        infos.append(DraftInfo(found, measure, map, claimed))
      }
      return infos
    }
  }

  /// Ends a draft and discards its edits. Does nothing if there is no such draft.
  ///
  /// - Throws: ``DraftError/inUse(_:)`` while a live context has claimed the draft: discard the changes of that context
  ///   instead. ``DraftError/store(_:)`` if the store cannot be read.
  public func discard(_ id: String) throws {
    let id = ComposedText.composed(id)
    let draft = JournalTopic.draft(id)
    guard try claim(draft) else { throw DraftError.inUse(id) }
    defer { release(draft) }
    try end(draft)
  }

  /// Ends a draft that this process has claimed, if it exists, readable or not.
  package func end(_ draft: JournalTopic) throws(DraftError) {
    do throws(DraftError) {
      if try image(of: draft) == nil, try !hasRows(of: draft) { return }
    } catch {
      guard case .unreadable = error else { throw error }
    }
    do throws(StoreError) { try store.journals.forgetRefused(draft, withEdits: true) } catch {
      throw .store(error)
    }
    store.journal.append([.draftEnded(draft: draft.name)])
  }

  /// Whether the store has rows of a draft. If a draft has no readable edits, a damaged header may be left of it.
  private func hasRows(of draft: JournalTopic) throws(DraftError) -> Bool {
    let table = store.tables.drafts
    do throws(StoreError) {
      return try StoreError.converting { () throws(StorageError) in
        try store.environment.read { (transaction) throws(StorageError) in
          try !DraftRows(draft, transaction.view, table).isEmpty
        }
      }
    } catch {
      throw .store(error)
    }
  }

  /// The reason why uncommitted edits are not being written to the journal at the moment; `nil` while they are. The
  /// edits stay in memory, and the library retries the write. It does not retry an edit of more than 1 GiB, which stays
  /// in memory only.
  public var failure: StoreError? {
    store.scenes.journal.lastError.map { StoreError($0, path: store.path) }
  }

  /// Calls `body`, on any thread, when ``failure`` changes to another failure. Replaces an earlier `body`.
  package func whenFailing(_ body: @escaping @Sendable (StoreError) -> Void) {
    let path = store.path
    store.scenes.journal.whenItFails { body(StoreError($0, path: path)) }
  }
}

extension DraftInfo {
  init(
    _ found: DraftFinding, _ measure: (changedAt: UInt64, byteCount: Int), _ map: SchemaMap,
    _ claimed: (here: Bool, elsewhere: Bool, process: Int32?)
  ) {
    let header: DraftHeader
    problems = found.problems.filter { !$0.isOfModels }.map(\.description)
    switch found.draft {
    case .readable(let image):
      header = image.header
      changes = image.changes
      objects = changes.keys.sorted()
      preview = DraftPreview.of(image, map)
      (groupCount, lastGroupName, unreadableReason) = (image.groupCount, image.lastGroupName, nil)
      hasUnconverted = image.hasUnconverted
    case .unreadable(let its, let reason):
      header = its
      (objects, preview, groupCount, lastGroupName, unreadableReason) = ([], [], 0, nil, reason)
      changes = ObjectMap()
      hasUnconverted = false
    }
    id = header.id
    parent = header.parent
    author = header.author
    position = header.base
    changedAt = measure.changedAt == 0 ? nil : Int64(clamping: measure.changedAt)
    byteCount = measure.byteCount
    isInUse = claimed.here || claimed.elsewhere
    process = claimed.process
  }
}
