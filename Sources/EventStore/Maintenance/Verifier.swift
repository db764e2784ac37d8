import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// Verifies a store against its own log. Needs no models.
struct Verifier {
  let store: Store
  /// The last transaction that is verified: the last one that was saved, if the log goes on behind it.
  private(set) var head: Position = 0
  /// The head hash kept outside the store.
  private let kept: LogToken?
  /// The stored schema, which may have grown since this process opened the store.
  private(set) var schema = StoredSchema()
  /// Where the log declares what the schema has.
  private(set) var declarations = SchemaDeclarations()
  var references = BlobReferences(StoredSchema())
  /// Where the log begins; `nil` if it is whole.
  private(set) var floor: LogFloor?
  private var transactions = 0
  var events = 0
  var objects = 0
  var indexRows = 0
  var blobs = 0
  var sliceBytes = IndexRows.sliceBytes
  private var problems: [String] = []

  init(store: Store, kept: LogToken?) {
    self.kept = kept
    self.store = store
  }

  var report: VerificationReport {
    VerificationReport(
      transactions: transactions, events: events, objects: objects, indexRows: indexRows, blobs: blobs,
      problems: problems)
  }

  mutating func found(_ problem: String) {
    if problems.count < 100, !problems.contains(problem) { problems.append(problem) }
  }

  /// Verifies everything, part by part. Damage that keeps a part from being read is a finding.
  mutating func verify(_ view: View) throws(StorageError) {
    try part("log") { (verifier) throws(StorageError) in try verifier.verifyLog(view) }
    try part("objects") { (verifier) throws(StorageError) in try verifier.verifyObjects(view) }
    try part(RopeTable.name) { (verifier) throws(StorageError) in try verifier.verifyLongValues(view) }
    try part("indexes") { (verifier) throws(StorageError) in try verifier.verifyIndexes(view) }
    try part("blobs") { (verifier) throws(StorageError) in try verifier.verifyBlobs(view) }
    try part(ProjectionTable.name) { (verifier) throws(StorageError) in try verifier.verifyProjections(view) }
    try part("drafts") { (verifier) throws(StorageError) in try verifier.verifyDrafts(view) }
    try part("archives") { (verifier) throws(StorageError) in try verifier.verifyScenes(view) }
    try part("journals") { (verifier) throws(StorageError) in try verifier.verifyMarks(view) }
  }

  private mutating func part(
    _ table: String, _ body: (inout Verifier) throws(StorageError) -> Void
  ) throws(StorageError) {
    do throws(StorageError) {
      try body(&self)
    } catch {
      guard let reason = error.finding else { throw error }
      found("The table '\(table)' cannot be read to its end: \(reason).")
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
        verifier.found("Transaction \(position) is not the one that its hash was made for.")
      }
      hash = frame.hash
      if position == verifier.kept?.position, frame.hash != verifier.kept?.hash {
        verifier.found("Transaction \(position) is not the one that the hash was kept of.")
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

  /// Verifies that the store names its format, and the log that was opened.
  private mutating func verifyIdentity(_ view: View) throws(StorageError) {
    do throws(StorageError) {
      let log = try MetaTable(store.tables.meta).logID(view)
      if log != store.logID { found("The store names the log \(log), and was opened with \(store.logID).") }
    } catch {
      switch error {
      case .foreignContents, .newerFormat, .prereleaseFormat: found(StoreError(error).description)
      default:
        guard let reason = error.damage else { throw error }
        found("What the store is cannot be read: \(reason).")
      }
    }
  }

  /// The last transaction of the log, but none behind the one that was saved last.
  private mutating func lastPosition(_ end: LogEnd?, _ view: View) throws(StorageError) -> Position {
    do throws(StorageError) {
      let last = try store.files.log.lastPosition(view)
      guard let end, last > end.position else { return last }
      found("The log goes on to transaction \(last), and the last one that was saved is \(end.position).")
      return end.position
    } catch {
      guard let reason = error.damage, let end else { throw error }
      found("Where the log ends: \(reason).")
      return end.position
    }
  }

  /// Verifies that the log ends where `meta` says.
  private mutating func verifyEnd(_ hash: Digest?, _ end: LogEnd?) {
    guard let end else { return }
    if head < end.position {
      found("The log ends with transaction \(head), and the last one that was saved is \(end.position).")
    } else if head == end.position, let hash, hash != end.hash {
      found("Transaction \(head) is not the one that was saved last.")
    }
  }

  /// Verifies that the kept hash is of this log, and not of a position after its end.
  private mutating func verifyReach(_ kept: LogToken) {
    if kept.log != store.logID { found("The hash was kept of another log, \(kept.log).") }
    if let floor, kept.position < floor.position {
      guard kept.position != floor.position - 1 || kept.hash != floor.record.hash else { return }
      found(
        kept.position == floor.position - 1
          ? "Transaction \(kept.position) was not the one that the hash was kept of."
          : "The log begins with transaction \(floor.position), and the hash was kept of transaction \(kept.position): "
            + "whether it was in this log can no longer be told.")
    }
    if kept.position > head {
      found("The log ends with transaction \(head), and the hash was kept of transaction \(kept.position).")
    }
  }

  private mutating func logFloor(_ view: View) throws(StorageError) -> LogFloor? {
    do throws(StorageError) {
      return try MetaTable(store.tables.meta).floor(view)
    } catch {
      guard let reason = error.damage else { throw error }
      found("Where the log begins cannot be read: \(reason).")
      return nil
    }
  }

  private mutating func end(_ view: View) throws(StorageError) -> LogEnd? {
    do throws(StorageError) {
      return try MetaTable(store.tables.meta).head(view)
    } catch {
      guard let reason = error.damage else { throw error }
      found("Where the log ends cannot be read: \(reason).")
      return nil
    }
  }

  /// Iterates over the log. After an unreadable transaction, it continues with the next that exists: a damaged key may
  /// name a position too high to count up to.
  mutating func forEachTransaction(
    _ view: View, _ body: (inout Verifier, Position, LogFrame) throws(MalformedBytes) -> Void,
    damaged: (inout Verifier, _ problem: String) -> Void
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
        damaged(&self, "Transaction \(position): \(reason).")
        guard let next = try log.position(after: position, view) else { return }
        if next > position + 1 { damaged(&self, "Transactions \(position + 1) to \(next - 1) are missing.") }
        position = next
      }
    }
  }

  private mutating func storedSchema(_ view: View) throws(StorageError) -> StoredSchema {
    do throws(StorageError) {
      return try MetaTable(store.tables.meta).schema(view)
    } catch {
      guard let reason = error.damage else { throw error }
      found("The stored schema cannot be read: \(reason).")
      return store.map.stored
    }
  }
}

extension StorageError {
  /// As ``damage``; also of a transaction that is missing before the others, which was not dropped.
  var finding: String? {
    if case .rowsDropped(_, let row, let first, _) = self {
      return "transaction \(row) of the log is missing, and the first one there is \(first)"
    }
    return damage
  }
}
