import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// Rebuilds the head projection of a store from its log, in one write transaction.
struct HeadRebuilder {
  private let tables: StoreTables
  private let log: LogTable
  private let meta: MetaTable
  private let acceptingLoss: Bool
  private let sliceSize: Int
  private var fold = MetaFold()
  private var head: Position = 0
  private var hash = Digest.zero
  private var counts: [UInt32: Int] = [:]
  private var tombstones: [(address: ObjectAddress, record: [UInt8])] = []
  /// The transactions whose keyframes differ from the sum of their events.
  private var wrongKeyframes: Set<Position> = []
  /// The transaction whose events do not fit the objects, if the rebuild failed because of that.
  private(set) var unreplayed: Position?
  private(set) var report = RebuildReport()
  /// The schema according to the log.
  var schema: StoredSchema { fold.schema }

  init(_ tables: StoreTables, acceptingLoss: Bool, sliceSize: Int) {
    self.tables = tables
    log = LogTable(tables.log)
    meta = MetaTable(tables.meta)
    self.acceptingLoss = acceptingLoss
    self.sliceSize = sliceSize
  }

  mutating func rebuild(in transaction: borrowing WriteTransaction) throws(StorageError) {
    if let floor = try meta.floor(transaction.view) {
      try rebuild(above: floor, in: transaction)
    } else {
      try rebuildAll(in: transaction)
    }
    try fold.write(meta, counts, transaction)
    // If the log lacks its beginning, the migration has not begun.
    if let state = try? meta.migration(transaction.view), !state.belongs(to: fold.schema) {
      try meta.removeMigration(transaction)
    }
    // Indexes under construction start from scratch.
    for property in (try? meta.indexBuilds(transaction.view)) ?? [:] {
      try meta.put(nil, of: property.key, transaction)
    }
    // Only the old entry knows the IDs of transactions and objects that the log no longer has.
    let known = (try? meta.head(transaction.view).greatestID) ?? .zero
    let greatestID = UniqueID.later(fold.greatestID, known)
    try meta.put(LogHead(position: head, hash: hash, time: 0, greatestID: greatestID), transaction)
    for position in wrongKeyframes.sorted() { try log.removeKeyframes(at: position, transaction) }
  }

  /// If the beginning of the log was dropped, the rest of the log depends on the objects. They must be sound, and are
  /// kept.
  private mutating func rebuild(
    above floor: LogFloor, in transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    fold = MetaFold(from: floor)
    hash = floor.record.hash
    _ = try readLog(from: floor.position, transaction.view)
    let state = BaseState(
      log: log, objects: ObjectTable(tables), floor: floor.position, head: head, sliceSize: sliceSize)
    guard let found = try state.findings(transaction.view, log: transaction.view) else { return }
    if found.problems.isEmpty, found.digest != floor.record.base {
      throw tables.objects.damaged(
        [],
        "the objects cannot be rebuilt. With all changes in the log reverted, they do not match the checksum that "
          + "`retain` recorded when it deleted the earlier log")
    }
    if let problem = found.problems.first { throw tables.objects.damaged([], problem.text) }
    wrongKeyframes = Set(found.wrongKeyframes.map(\.position))
    counts = found.counts
    try transaction.removeAll(tables.indexes)
    var indexes = IndexFold(fold.schema)
    for entity in fold.schema.entities {
      var next: UniqueID? = .zero
      while let first = next {
        next = nil
        var bytes = 0
        try ObjectTable(tables).scanRecords(entity.number, entity.name, from: first, transaction.view) {
          (uuid, record) throws(MalformedBytes) in
          if bytes > Self.rowBytes * sliceSize {
            next = uuid
            return false
          }
          bytes += record.bytes.count
          try indexes.add(record, ObjectAddress(entity: entity.number, uuid: uuid))
          return true
        }
        try indexes.write(tables.indexes, transaction)
      }
    }
    report.objects = counts.values.reduce(0, +)
    report.indexRows = indexes.count
  }

  private mutating func rebuildAll(in transaction: borrowing WriteTransaction) throws(StorageError) {
    var objects = try readLog(from: 1, transaction.view)
    try transaction.removeAll(tables.objects)
    try LongValueTable(tables).removeAll(transaction)
    try transaction.removeAll(tables.indexes)
    var indexes = IndexFold(fold.schema)
    while true {
      let rest = objects.rest
      try write(objects, &indexes, in: transaction)
      if rest.isEmpty { break }
      objects = ObjectFold(rest, size: sliceSize, expecting: sliceSize)
      try read(&objects, transaction.view)
    }
    try indexes.write(tables.indexes, transaction)
    report.objects = counts.values.reduce(0, +)
    report.indexRows = indexes.count
    // Tombstones sort after all objects, so they are appended last.
    for (address, record) in tombstones {
      try ObjectTable(tables)
        .append(record, ObjectKey(tombstoneOf: address.entity, uuid: address.uuid), transaction)
    }
  }

  /// Verifies the log while folding its metadata and the first slice of objects, which it returns.
  private mutating func readLog(from first: Position, _ view: View) throws(StorageError) -> ObjectFold {
    let logID = try meta.logID(view)
    head = try log.lastPosition(view)
    let saved = try lastSaved(view)
    if saved > head {
      guard acceptingLoss else { throw log.lost(after: head, upTo: saved) }
      report.lostTransactions = head.distance(to: saved)
    }
    // An estimate: the table may disagree with the log.
    let expected = try? view.entryCount(tables.objects)
    var objects = ObjectFold(size: sliceSize, expecting: expected ?? 0)
    try read(&objects, from: first, view) { (rebuilder, frame) throws(MalformedBytes) in
      guard try frame.verifyHash(logID: logID, previousHash: rebuilder.hash) else {
        throw MalformedBytes("a hash that matches this transaction and the previous one", at: 0)
      }
      try frame.requireEnd()
      rebuilder.hash = frame.hash
      try rebuilder.fold.add(frame)
      rebuilder.report.events += frame.eventCount
    }
    report.transactions = Int(head.number - (first.number - 1))
    return objects
  }

  /// The last position that any part of the store mentions. Damaged parts do not count: they are rebuilt.
  private func lastSaved(_ view: View) throws(StorageError) -> Position {
    var last: Position = 0
    do throws(StorageError) {
      last = try meta.head(view).position
    } catch {
      if error.damage == nil { throw error }
    }
    let start = CollectionOfOne(ObjectKey(entity: 0, uuid: .zero))
    let rows = ObjectTable(tables).rows
    try rows.scan(view, from: start.span.bytes) { (_, bytes) throws(StorageError) in
      if let record = try? RecordReader(stored: bytes) { last = max(last, record.position) }
      return true
    }
    return last
  }

  private mutating func read(_ objects: inout ObjectFold, _ view: View) throws(StorageError) {
    try read(&objects, from: 1, view) { _, _ in }
  }

  /// Folds the log into `objects`; `body` gets each frame before its events are added.
  private mutating func read(
    _ objects: inout ObjectFold, from first: Position, _ view: View,
    _ body: (inout Self, LogFrame) throws(MalformedBytes) -> Void
  ) throws(StorageError) {
    let log = log
    for position in stride(from: first, through: head, by: 1) {
      var failure: ReplayError?
      try log.withFrame(position, view) { (frame) throws(MalformedBytes) in
        try body(&self, frame)
        // Events after a floor depend on objects that are not in the log.
        if first > 1 { return }
        var events = frame.events
        while failure == nil, let event = try events.next() {
          do throws(ReplayError) { try objects.add(event, at: position) } catch { failure = error }
          if !objects.matchesKeyframe(of: event, in: frame) { wrongKeyframes.insert(position) }
        }
      }
      if let failure {
        unreplayed = position
        throw log.damaged(position, "transaction \(position) of the log: \(failure)")
      }
    }
  }

  /// The memory that index rows may take before they are written, in bytes for each object of a slice.
  private static let rowBytes = 512

  private mutating func write(
    _ objects: consuming ObjectFold, _ indexes: inout IndexFold, in transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    for entry in objects.sorted() {
      guard let record = entry.record else { continue }
      let address = entry.address
      let key = ObjectKey(entity: address.entity, uuid: address.uuid)
      let isObject = try tables.objects.parsing(key.bytes, "the stored object \(address.uuid)") {
        () throws(MalformedBytes) in
        try record.lend { (bytes) throws(MalformedBytes) in
          let reader = try RecordReader(unsealed: UnsafeRawBufferPointer(rebasing: bytes[Checksum.size...]))
          guard reader.kind == .object else { return false }
          try indexes.add(reader, address)
          return true
        }
      }
      guard isObject else {
        tombstones.append((address, record))
        continue
      }
      counts[address.entity, default: 0] += 1
      try ObjectTable(tables).append(record, key, transaction)
    }
    if indexes.byteCount > Self.rowBytes * sliceSize { try indexes.write(tables.indexes, transaction) }
  }
}
