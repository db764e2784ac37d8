import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// Verifies a store against its own log. Needs no models.
struct Verifier {
  let store: Store
  /// The last transaction to verify: the one that was saved last, if the log continues after it.
  private(set) var head: Position = 0
  /// The head hash kept outside the store.
  private let kept: LogToken?
  /// The stored schema, which may have grown since this process opened the store.
  private(set) var schema = StoredSchema()
  /// The transactions that declare the parts of the schema.
  private(set) var declarations = SchemaDeclarations()
  var references = BlobReferences(StoredSchema())
  /// The beginning of the log. `nil` if the log is whole.
  private(set) var floor: LogFloor?
  private var transactions = 0
  var events = 0
  var objects = 0
  var indexRows = 0
  var blobs = 0
  var sliceBytes = IndexRows.sliceBytes
  private var problems: [String] = []
  private var steps: Set<RepairStep> = []

  init(store: Store, kept: LogToken?) {
    self.kept = kept
    self.store = store
  }

  var report: VerificationReport {
    VerificationReport(
      transactions: transactions, events: events, objects: objects, indexRows: indexRows, blobs: blobs,
      problems: problems, steps: steps)
  }

  mutating func found(_ finding: StoreFinding) {
    steps.insert(finding.step(isCut: floor != nil))
    let problem = finding.description
    if problems.count < 100, !problems.contains(problem) { problems.append(problem) }
  }

  /// Verifies everything, part by part. Damage that keeps a part from being read is a finding.
  mutating func verify(_ view: View) throws(StorageError) {
    try part("log") { (verifier) throws(StorageError) in try verifier.verifyLog(view) }
    try part("objects") { (verifier) throws(StorageError) in try verifier.verifyObjects(view) }
    try part(LongValueTable.name) { (verifier) throws(StorageError) in try verifier.verifyLongValues(view) }
    try part("indexes") { (verifier) throws(StorageError) in try verifier.verifyIndexes(view) }
    try part("blobs") { (verifier) throws(StorageError) in try verifier.verifyBlobs(view) }
    try part(ProjectionTable.name) { (verifier) throws(StorageError) in try verifier.verifyProjections(view) }
    try part("drafts") { (verifier) throws(StorageError) in try verifier.verifyDrafts(view) }
    try part("archives") { (verifier) throws(StorageError) in try verifier.verifyScenes(view) }
    try part("journals") { (verifier) throws(StorageError) in try verifier.verifyMarks(view) }
    try part(ImagePlaces.table) { (verifier) throws(StorageError) in try verifier.verifyAfterImage(view) }
  }

  private mutating func part(
    _ table: String, _ body: (inout Verifier) throws(StorageError) -> Void
  ) throws(StorageError) {
    do throws(StorageError) {
      try body(&self)
    } catch {
      guard let reason = error.finding else { throw error }
      found(.table(table, reason: reason))
    }
  }

  // MARK: The log

  /// Verifies checksums, positions, times and the hash chain, and that `meta` agrees with the log.
  mutating func verifyLog(_ view: View) throws(StorageError) {
    try verifyIdentity(view)
    schema = try storedSchema(view)
    references = BlobReferences(schema)
    floor = try logFloor(view)
    let end = try end(view)
    head = try lastPosition(end, view)
    try verifyRows(ofLogFrom: floor?.position ?? 1, view)
    var fold = MetaFold(from: floor)
    var isWhole = true
    // `nil` after an unreadable frame: the chain continues from the next frame's own hash, so that one bad frame is one
    // finding.
    var hash: Digest? = floor?.record.hash ?? .zero
    try forEachTransaction(view) { verifier, position, frame throws(MalformedBytes) in
      if let hash, !(try frame.verifyHash(logID: verifier.store.logID, previousHash: hash)) {
        verifier.found(.otherPredecessor(position))
      }
      hash = frame.hash
      if position == verifier.kept?.position, frame.hash != verifier.kept?.hash {
        verifier.found(.keptOther(position))
      }
      try fold.add(frame)
      try frame.requireEnd()
      verifier.transactions += 1
    } damaged: { verifier, problem in
      verifier.found(problem)
      hash = nil
      isWhole = false
    }
    declarations = fold.declarations
    verifyEnd(hash, end)
    if let kept { verifyReach(kept) }
    guard isWhole else { return }
    try part("meta") { (verifier) throws(StorageError) in
      for problem in try fold.problems(MetaTable(verifier.store.tables.meta), view) { verifier.found(problem) }
    }
  }

  /// Verifies that the store has a known format, and the log that was opened.
  private mutating func verifyIdentity(_ view: View) throws(StorageError) {
    do throws(StorageError) {
      let log = try MetaTable(store.tables.meta).logID(view, sharing: true)
      if log != store.logID { found(.otherLog(log, opened: store.logID)) }
    } catch {
      switch error {
      case .foreignContents, .newerFormat, .prereleaseFormat: found(.identity(reason: error.reason))
      default:
        guard let reason = error.damage else { throw error }
        found(.identity(reason: reason))
      }
    }
  }

  /// The last transaction of the log, or the one that was saved last if the log continues after it.
  private mutating func lastPosition(_ end: LogEnd?, _ view: View) throws(StorageError) -> Position {
    do throws(StorageError) {
      let last = try store.files.log.lastPosition(view)
      guard let end, last > end.position else { return last }
      found(.unsavedTransactions(last: last, saved: end.position))
      if let next = try store.files.log.position(after: end.position, view), next > end.position + 1 {
        found(.missingTransactions(end.position + 1...next - 1))
      }
      return end.position
    } catch {
      guard let reason = error.damage, let end else { throw error }
      found(.end(reason: reason))
      return end.position
    }
  }

  /// Verifies that the log ends where `meta` says.
  private mutating func verifyEnd(_ hash: Digest?, _ end: LogEnd?) {
    guard let end else { return }
    if head < end.position {
      found(.lostTransactions(last: head, saved: end.position))
    } else if head == end.position, let hash, hash != end.hash {
      found(.otherLastTransaction(head))
    }
  }

  /// Verifies that the kept hash belongs to this log, and its position is not after the end.
  private mutating func verifyReach(_ kept: LogToken) {
    if kept.log != store.logID { found(.keptOfOtherLog(kept.log)) }
    if let floor, kept.position < floor.position {
      guard kept.position != floor.position - 1 || kept.hash != floor.record.hash else { return }
      found(
        kept.position == floor.position - 1
          ? .keptOther(kept.position) : .keptBeforeBeginning(kept.position, first: floor.position))
    }
    if kept.position > head { found(.keptAfterEnd(kept.position, last: head)) }
  }

  private mutating func logFloor(_ view: View) throws(StorageError) -> LogFloor? {
    do throws(StorageError) {
      return try MetaTable(store.tables.meta).floor(view)
    } catch {
      guard let reason = error.damage else { throw error }
      found(.recordedBeginning(reason: reason))
      return nil
    }
  }

  private mutating func end(_ view: View) throws(StorageError) -> LogEnd? {
    do throws(StorageError) {
      return try MetaTable(store.tables.meta).head(view)
    } catch {
      guard let reason = error.damage else { throw error }
      found(.recordedEnd(reason: reason))
      return nil
    }
  }

  /// Iterates over the log. After an unreadable transaction, it continues with the next that exists: a damaged key may
  /// name a position too high to count up to.
  mutating func forEachTransaction(
    _ view: View, _ body: (inout Verifier, Position, LogFrame) throws(MalformedBytes) -> Void,
    damaged: (inout Verifier, _ problem: StoreFinding) -> Void
  ) throws(StorageError) {
    let log = store.files.log
    var position: Position = floor?.position ?? 1
    while position <= head {
      do throws(StorageError) {
        try log.withFrame(position, view) { (frame) throws(MalformedBytes) in try body(&self, position, frame) }
        if position == head { return }
        position = position + 1
      } catch {
        guard let reason = error.finding else { throw error }
        damaged(&self, .transaction(position, reason: reason))
        guard let next = try log.position(after: position, view) else { return }
        if next > position + 1 { damaged(&self, .missingTransactions(position + 1...next - 1)) }
        position = next
      }
    }
  }

  private mutating func storedSchema(_ view: View) throws(StorageError) -> StoredSchema {
    do throws(StorageError) {
      return try MetaTable(store.tables.meta).schema(view)
    } catch {
      guard let reason = error.damage else { throw error }
      found(.unreadableSchema(reason: reason))
      return store.map.stored
    }
  }
}

extension StorageError {
  /// Like ``damage``. Also covers a transaction that is missing before others but was not dropped.
  var finding: String? {
    if case .rowsDropped(_, let row, let first, _) = self {
      return "transaction \(row) of the log is missing, and the log begins with transaction \(first)"
    }
    return damage
  }
}
