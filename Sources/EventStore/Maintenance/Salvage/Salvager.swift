import RepriseJournal
import RepriseLMDB
import RepriseLog
import RepriseObjectModel
import RepriseSystem

/// Makes a new store from the remains of a damaged one.
struct Salvager {
  let path: String
  let newPath: String
  private let sliceSize: Int
  var report = SalvageReport()

  // The findings.
  private var log = FoundLog()
  private var facts = FoundFacts()
  private var drafts = FoundDrafts()
  private var blobs = FoundBlobs()
  /// The last position that any part of the file mentions.
  private var lastFound: Position = 0
  var journals: [(id: UniqueID, log: UniqueID, bytes: [UInt8])] = []

  init(_ path: String, to newPath: String, sliceSize: Int) {
    self.path = path
    self.newPath = newPath
    self.sliceSize = sliceSize
  }

  // MARK: Finding

  mutating func find() throws(StorageError) {
    for journal in journals { facts.add(journalOf: journal.log) }
    var (log, facts, drafts, blobs, last) = (log, facts, drafts, blobs, Position(0))
    let isLatest = try RowScan.run(of: path, growing: "log") { row in
      log.add(row)
      facts.add(row)
      drafts.add(row)
      blobs.add(row)
      last = max(last, FoundRecords.position(of: row) ?? 0)
    }
    if facts.isOfPrerelease { throw .prereleaseFormat(StorageError.Site(.checkFile, path)) }
    facts.settleFloor(log.firstPosition)
    log.sort(from: facts.firstPosition)
    (self.log, self.facts, self.drafts, self.blobs) = (log, facts, drafts, blobs)
    lastFound = max(last, log.lastPosition(isLatest: isLatest), facts.end)
    if let cut = try file().cut() { report.found(.cutFile(byteCount: cut.found, expected: cut.expected)) }
    if !isLatest { report.found(.damagedMetaPage) }
  }

  // MARK: Writing

  /// Writes the findings into an empty environment.
  mutating func write(to environment: Environment) throws(StorageError) -> UniqueID {
    let tables = StoreTables(environment)
    let logID = try logID()
    var end = lastFound
    while true {
      var head = LogHead(
        position: facts.firstPosition - 1, hash: facts.floor?.record.hash ?? .zero, time: .min + 1)
      while head.position < end, let next = try writeLog(environment, tables, logID, after: head, to: end) {
        head = next
      }
      // Valid hashes do not prove that each event fits its object. The log ends before the first one that does not.
      var unreplayed: Position?
      do throws(StorageError) {
        try write(to: environment, tables, logID, head, &unreplayed)
        return logID
      } catch {
        guard let unreplayed, unreplayed > facts.firstPosition, unreplayed <= head.position else { throw error }
        end = unreplayed - 1
        try environment.write { (transaction) throws(StorageError) in try transaction.removeAll(tables.log) }
      }
    }
  }

  /// Writes everything but the log up to the gap.
  private mutating func write(
    to environment: Environment, _ tables: StoreTables, _ logID: UniqueID, _ head: LogHead,
    _ unreplayed: inout Position?
  ) throws(StorageError) {
    report.transactions = (facts.firstPosition - 1).distance(to: head.position)
    let behind = try behind(head.position, logID)
    var records = FoundRecords(after: facts.floor == nil ? head.position : 0)
    if head.position < lastFound {
      report.lost = head.position + 1...lastFound
      report.intactTransactionsAfterGap = behind.count
    }
    if report.lost != nil || facts.floor != nil {
      _ = try RowScan.run(of: path, growing: "log") { records.add($0) }
      records.sort()
    }
    try blobs.copyChunks(of: path, to: tables, environment)
    let file = try file()
    report = try environment.write { (transaction) throws(StorageError) in
      try write(transaction, file, tables, logID, head, behind, records, &unreplayed)
    }
  }

  private var site: StorageError.Site { StorageError.Site(.checkFile, path) }

  private func file() throws(StorageError) -> DataFile {
    guard let file = try DataFile(directory: path) else { throw .noSuchFile(site) }
    return file
  }

  private func logID() throws(StorageError) -> UniqueID {
    guard let found = try facts.logID(of: log, in: file()) else {
      throw .damagedStructure("the ID of the log is lost, so no transaction can be verified", site)
    }
    return found
  }

  /// Frames are committed in batches of about this many bytes.
  private static let batch = 16 << 20

  /// Writes the next transactions of the log unchanged. `nil` at its end.
  private func writeLog(
    _ environment: Environment, _ tables: StoreTables, _ logID: UniqueID, after head: LogHead, to last: Position
  ) throws(StorageError) -> LogHead? {
    let file = try file()
    var frames: [FoundLog.Frame] = []
    var bytes = 0
    var previous = head.hash
    while bytes < Self.batch, head.position + frames.count < last,
      let frame = try log.frame(at: head.position + frames.count + 1, behind: previous, of: logID, in: file)
    {
      frames.append(frame)
      bytes += frame.bytes.count
      previous = frame.hash
    }
    guard let newest = frames.last else { return nil }
    try environment.write { (transaction) throws(StorageError) in
      for (index, frame) in frames.enumerated() {
        try LogTable(tables.log).append(frame.bytes, at: head.position + index + 1, transaction)
      }
    }
    return LogHead(position: head.position + frames.count, hash: newest.hash, time: newest.time)
  }

  /// The intact transactions after a gap. A transaction whose hash does not follow from its intact direct predecessor
  /// was never in the log.
  private func behind(_ end: Position, _ logID: UniqueID) throws(StorageError) -> [FoundLog.Place] {
    let file = try file()
    var places: [FoundLog.Place] = []
    for position in log.positions(from: end + 2, through: lastFound) {
      let found = try log.frames(at: position, in: file).first { frame in
        guard frame.standing != .free else { return false }
        guard let previous = places.last, previous.position + 1 == position else { return true }
        return frame.follows(previous.hash, in: logID)
      }
      if let found { places.append(FoundLog.Place(position: position, hash: found.hash)) }
    }
    return places
  }

  /// The same, in one commit. Before that there is no store.
  private func write(
    _ transaction: borrowing WriteTransaction, _ file: borrowing DataFile, _ tables: StoreTables, _ logID: UniqueID,
    _ head: LogHead, _ behind: [FoundLog.Place], _ records: FoundRecords, _ unreplayed: inout Position?
  ) throws(StorageError) -> SalvageReport {
    var report = report
    let meta = MetaTable(tables.meta)
    try meta.putFormat(transaction)
    try meta.put(MetaKey.log, MetaTable.bytes(logID), transaction)
    let fold = try fold(tables, head.position, transaction.view)
    let kept = try keptObjects(tables, head, fold, records, file, transaction, &report)
    if let gap = report.lost ?? kept?.leftOut {
      var continuation = LogContinuation(
        tables, logID: logID, gap: gap, log: log, behind: behind, head: head, schema: fold.schema,
        kept: kept, sliceSize: sliceSize)
      try continuation.add(facts, file, transaction)
      try continuation.add(records, file, transaction)
      try continuation.closeSchema(transaction)
      try kept?.follow(transaction)
      report.restoredObjects = continuation.restored
      for problem in continuation.problems { report.found(problem) }
    }
    if let migration = facts.migration { try meta.put(migration, transaction) }
    let written = try drafts.write(tables, transaction)
    let scenes = try SceneRepair(tables.archives, transaction)
    (report.draftRows, report.screenRows) = (written.drafts, written.archives - scenes.removed)
    if written.damaged > 0 { report.found(.damagedRows(written.damaged)) }
    for problem in scenes.problems { report.found(.journal(problem)) }
    if scenes.removed > 0 { report.found(.orphanedScreens(scenes.removed)) }
    var rebuilder = HeadRebuilder(tables, acceptingLoss: false, sliceSize: sliceSize)
    do throws(StorageError) {
      try rebuilder.rebuild(in: transaction)
    } catch {
      unreplayed = rebuilder.unreplayed
      throw error
    }
    if rebuilder.report.transactions == 0 {
      guard let replica = facts.replicaOfEmptyLog else {
        throw .damagedStructure("no transaction and no schema can be read", site)
      }
      try meta.put(MetaKey.replica, MetaTable.bytes(replica), transaction)
    }
    report.objects = rebuilder.report.objects
    // The next opening computes their values. Erasures need the attributes before that, too.
    for property in rebuilder.schema.entities.flatMap(\.properties) where facts.derived.contains(property.number) {
      try meta.put(derivation: nil, of: property.number, transaction)
    }
    try write(self.blobs, tables, rebuilder.schema, transaction, &report)
    if report.lost != nil || kept?.leftOut != nil {
      for problem in try BrokenRules(tables: tables, logID: logID).lift(transaction) { report.found(problem) }
    }
    return report
  }

  /// Writes the objects of a log that has lost its beginning to `retain`. `nil` for a whole log, which makes them.
  private func keptObjects(
    _ tables: StoreTables, _ head: LogHead, _ fold: MetaFold, _ records: FoundRecords, _ file: borrowing DataFile,
    _ transaction: borrowing WriteTransaction, _ report: inout SalvageReport
  ) throws(StorageError) -> KeptObjects? {
    guard var floor = facts.floor else { return nil }
    // The log numbers its own names.
    if let first = fold.firstName { floor.nameCount = min(floor.nameCount, first) }
    // The new log may leave out some of these transactions, but its floor counts their names.
    try fold.writeNames(MetaTable(tables.meta), transaction)
    let hasNames = try facts.putNames(&floor, MetaTable(tables.meta), transaction)
    if !hasNames { report.found(.droppedNames(first: floor.position)) }
    var kept = KeptObjects(tables, from: floor, to: head, sliceSize: sliceSize)
    try kept.write(records, file, isWhole: report.lost == nil, transaction)
    for problem in kept.problems { report.found(problem) }
    report.transactions = (kept.first - 1).distance(to: head.position)
    return kept
  }

  private func write(
    _ blobs: FoundBlobs, _ tables: StoreTables, _ schema: StoredSchema, _ transaction: borrowing WriteTransaction,
    _ report: inout SalvageReport
  ) throws(StorageError) {
    var references = BlobReferences(schema)
    if references.areNone && blobs.isEmpty { return }
    let log = LogTable(tables.log)
    let first = try MetaTable(tables.meta).firstPosition(transaction.view)
    for position in stride(from: first, through: try log.lastPosition(transaction.view), by: 1) {
      try log.withFrame(position, transaction.view) { (frame) throws(MalformedBytes) in
        var events = frame.events
        while let event = try events.next() { try references.add(event) }
      }
    }
    if first > 1 {
      // The log may begin after objects got their blobs.
      for entity in schema.entities {
        try ObjectTable(tables).forEachRecord(entity.number, entity.name, transaction.view) {
          (_, record) throws(MalformedBytes) in try references.add(record.fields)
        }
      }
    }
    var blobs = blobs
    try blobs.write(references.blobs, BlobTable(tables, transaction.view), transaction)
    report.blobs = blobs.count
    for problem in blobs.problems { report.found(problem) }
  }

  /// The metadata according to the log up to the gap.
  private func fold(_ tables: StoreTables, _ end: Position, _ view: View) throws(StorageError) -> MetaFold {
    var fold = MetaFold(from: facts.floor)
    for position in stride(from: facts.firstPosition, through: end, by: 1) {
      try LogTable(tables.log)
        .withFrame(position, view) { (frame) throws(MalformedBytes) in try fold.add(frame) }
    }
    return fold
  }
}

extension FoundLog {
  /// The frame that follows a transaction. Only an interrupted commit can leave several. Then it is the one that a tree
  /// leads to, or that another frame follows.
  fileprivate func frame(
    at position: Position, behind previous: Digest, of log: UniqueID, in file: borrowing DataFile
  ) throws(StorageError) -> Frame? {
    let found = try frames(at: position, in: file).filter { $0.follows(previous, in: log) }
    if found.count < 2 || found[0].standing == .inTree { return found.first }
    let next = try frames(at: position + 1, in: file)
    return found.first { frame in next.contains { $0.follows(frame.hash, in: log) } } ?? found.first
  }
}
