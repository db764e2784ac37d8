import RepriseLMDB
import RepriseObjectModel

/// Writes the head of a store anew from its log, inside one write transaction.
struct HeadRebuilder {
  private let tables: StoreTables
  private let path: String
  private let log: LogTable
  private let meta: MetaTable
  private let acceptingLoss: Bool
  private let sliceSize: Int
  private var fold = MetaFold()
  private var head: Position = 0
  private var hash = Digest.zero
  private var counts: [UInt32: Int] = [:]
  private var tombstones: [(address: ObjectFold.Address, record: [UInt8])] = []
  private(set) var report = RebuildReport()

  init(_ tables: StoreTables, path: String, acceptingLoss: Bool, sliceSize: Int) {
    self.tables = tables
    self.path = path
    log = LogTable(tables.log, path: path)
    meta = MetaTable(tables.meta, path: path)
    self.acceptingLoss = acceptingLoss
    self.sliceSize = sliceSize
  }

  mutating func rebuild(in transaction: borrowing WriteTransaction) throws(SaveFailure) {
    var objects = try readLog(transaction.view)
    do throws(StorageError) {
      try transaction.removeAll(tables.objects)
      try transaction.removeAll(tables.indexes)
    } catch {
      throw .broken(error)
    }
    var indexes = IndexFold(fold.schema)
    while true {
      let rest = objects.rest
      try write(objects, &indexes, in: transaction)
      if rest.isEmpty { break }
      objects = ObjectFold(rest, size: sliceSize, expecting: sliceSize)
      do throws(StoreError) { try read(&objects, transaction.view) } catch { throw .damaged(error) }
    }
    try write(&indexes, in: transaction)
    report.objects = counts.values.reduce(0, +)
    report.indexRows = indexes.count
    // They lie behind all objects, so they go last.
    for (address, record) in tombstones {
      try append(record, ObjectKey(tombstoneOf: address.entity, uuid: address.uuid), in: transaction)
    }
    do throws(StorageError) {
      try fold.write(meta, counts, transaction)
      try meta.put(LogHead(position: head, hash: hash, time: 0), transaction)
    } catch {
      throw .broken(error)
    }
  }

  /// Proves the log, and learns from it what there is. Returns the first objects.
  private mutating func readLog(_ view: View) throws(SaveFailure) -> ObjectFold {
    do throws(StoreError) {
      guard let format = try meta.number(MetaKey.format, view), format > 0 else {
        throw .notAStore(path: path, reason: "its table 'meta' names no format")
      }
      guard format <= Store.format else {
        throw .newerFormat(path: path, found: format, supported: Store.format)
      }
      guard let logID = try meta.uuid(MetaKey.log, view) else {
        throw .damaged(path: path, reason: "its table 'meta' names no log")
      }
      head = try log.lastPosition(view)
      let saved = try lastSaved(view)
      if saved > head {
        guard acceptingLoss else { throw .logTruncated(path: path, last: head, saved: saved) }
        report.lostTransactions = head.distance(to: saved)
      }
      // A guess: the table need not be what the log says.
      let expected = try? view.entryCount(tables.objects)
      var objects = ObjectFold(size: sliceSize, expecting: expected ?? 0)
      try read(&objects, view) { (frame) throws(MalformedBytes) in
        guard try frame.verifyHash(logID: logID, previousHash: hash) else {
          throw MalformedBytes("the transaction that its hash was made for", at: 0)
        }
        hash = frame.hash
        try fold.add(frame)
        report.events += frame.eventCount
      }
      report.transactions = Int(head.number)
      return objects
    } catch {
      throw .damaged(error)
    }
  }

  /// The last transaction that anything in the store knows of. What is damaged knows of none: it is made anew.
  private func lastSaved(_ view: View) throws(StoreError) -> Position {
    var last: Position = 0
    do throws(StoreError) {
      last = try meta.head(view)?.position ?? 0
    } catch {
      guard case .damaged = error else { throw error }
    }
    let start = CollectionOfOne(ObjectKey(entity: 0, uuid: .zero))
    let rows = ObjectTable(tables.objects, path: path).rows
    try rows.scan(view, from: start.span.bytes) { (_, bytes) throws(StoreError) in
      if let record = try? RecordReader(bytes) { last = max(last, record.position) }
      return true
    }
    return last
  }

  private func read(_ objects: inout ObjectFold, _ view: View) throws(StoreError) {
    try read(&objects, view) { _ in }
  }

  /// Folds the log; `body` sees each frame before its events are added.
  private func read(
    _ objects: inout ObjectFold, _ view: View, _ body: (LogFrame) throws(MalformedBytes) -> Void
  ) throws(StoreError) {
    for position in stride(from: Position(1), through: head, by: 1) {
      var failure: ReplayError?
      try log.withFrame(position, view) { (frame) throws(MalformedBytes) in
        try body(frame)
        var events = frame.events
        while let event = try events.next() {
          do throws(ReplayError) {
            try objects.add(event, at: position)
          } catch {
            failure = error
            return
          }
        }
      }
      if let failure { throw .damaged(path: path, reason: "transaction \(position) of the log: \(failure)") }
    }
  }

  /// Most bytes that rows of indexes take before they are written, for each object of a slice.
  private static let rowBytes = 512

  private mutating func write(
    _ objects: consuming ObjectFold, _ indexes: inout IndexFold, in transaction: borrowing WriteTransaction
  ) throws(SaveFailure) {
    for entry in objects.sorted() {
      guard let record = entry.record else { continue }
      let address = entry.address
      let isObject: Bool
      do throws(MalformedBytes) {
        isObject = try record.lend { (bytes) throws(MalformedBytes) in
          let reader = try RecordReader(unsealed: UnsafeRawBufferPointer(rebasing: bytes[Checksum.size...]))
          guard reader.kind == .object else { return false }
          try indexes.add(reader, address)
          return true
        }
      } catch {
        throw .damaged(.damaged(path: path, reason: "the record of \(address.uuid): \(error)"))
      }
      guard isObject else {
        tombstones.append((address, record))
        continue
      }
      counts[address.entity, default: 0] += 1
      try append(record, ObjectKey(entity: address.entity, uuid: address.uuid), in: transaction)
    }
    if indexes.byteCount > Self.rowBytes * sliceSize { try write(&indexes, in: transaction) }
  }

  private func write(_ indexes: inout IndexFold, in transaction: borrowing WriteTransaction) throws(SaveFailure) {
    do throws(IndexError) {
      try indexes.write(tables.indexes, transaction)
    } catch {
      throw SaveFailure(error, path: path)
    }
  }

  private func append(
    _ record: [UInt8], _ key: ObjectKey, in transaction: borrowing WriteTransaction
  ) throws(SaveFailure) {
    let key = CollectionOfOne(key)
    do throws(StorageError) {
      try ObjectTable(tables.objects, path: path).rows.append(transaction, key: key.span.bytes, value: record)
    } catch {
      throw .broken(error)
    }
  }
}
