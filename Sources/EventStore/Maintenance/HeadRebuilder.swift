import RepriseLMDB
import RepriseObjectModel

/// Writes the head of a store anew from its log, inside one write transaction.
struct HeadRebuilder {
  private let tables: StoreTables
  private let path: String
  private let log: LogTable
  private let meta: MetaTable
  private var slices: FoldSlices
  private var fold = MetaFold()
  private var head: UInt64 = 0
  private var counts: [UInt32: Int] = [:]
  private(set) var report = RebuildReport()

  init(_ tables: StoreTables, path: String, sliceSize: Int) {
    self.tables = tables
    self.path = path
    log = LogTable(tables.log, path: path)
    meta = MetaTable(tables.meta, path: path)
    slices = FoldSlices(of: sliceSize)
  }

  mutating func rebuild(in transaction: borrowing WriteTransaction) throws(SaveFailure) {
    do throws(StoreError) { try readLog(transaction.view) } catch { throw .damaged(error) }
    do throws(LMDBError) {
      try transaction.removeAll(tables.objects)
      try transaction.removeAll(tables.indexes)
    } catch {
      throw .broken(error)
    }
    var tombstones: [(key: ObjectKey, record: [UInt8])] = []
    for slice in slices.ranges { try rebuild(slice, &tombstones, in: transaction) }
    // They lie behind all objects, so they go last.
    for tombstone in tombstones { try append(tombstone.record, tombstone.key, in: transaction) }
    do throws(LMDBError) {
      try fold.write(meta, counts, transaction)
    } catch {
      throw .broken(error)
    }
  }

  /// Proves the log, and learns from it what there is.
  private mutating func readLog(_ view: View) throws(StoreError) {
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
    var hash = Digest.zero
    for position in stride(from: UInt64(1), through: head, by: 1) {
      try log.withFrame(position, view) { (frame) throws(MalformedBytes) in
        guard try frame.verifyHash(logID: logID, previousHash: hash) else {
          throw MalformedBytes("the transaction that its hash was made for", at: 0)
        }
        hash = frame.hash
        try fold.add(frame)
        var events = frame.events
        while let event = try events.next() {
          slices.add(event)
          report.events += 1
        }
      }
    }
    report.transactions = Int(head)
  }

  private mutating func rebuild(
    _ slice: Range<ObjectFold.Address>, _ tombstones: inout [(key: ObjectKey, record: [UInt8])],
    in transaction: borrowing WriteTransaction
  ) throws(SaveFailure) {
    var objects = ObjectFold(slice, expecting: slices.expected)
    do throws(StoreError) { try read(&objects, transaction.view) } catch { throw .damaged(error) }
    var indexes = IndexFold(fold.schema)
    for address in objects.records.keys.sorted() {
      guard let record = objects.remove(address) else { continue }
      let isObject: Bool
      do throws(MalformedBytes) {
        isObject = try record.lend { (bytes) throws(MalformedBytes) in
          let reader = try RecordReader(bytes)
          guard reader.kind == .object else { return false }
          try indexes.add(reader, address)
          return true
        }
      } catch {
        throw .damaged(.damaged(path: path, reason: "the record of \(address.uuid): \(error)"))
      }
      guard isObject else {
        tombstones.append((ObjectKey(tombstoneOf: address.entity, uuid: address.uuid), record))
        continue
      }
      counts[address.entity, default: 0] += 1
      try append(record, ObjectKey(entity: address.entity, uuid: address.uuid), in: transaction)
    }
    report.objects = counts.values.reduce(0, +)
    do throws(IndexError) {
      report.indexRows += try indexes.write(tables.indexes, transaction)
    } catch {
      throw SaveFailure(error, path: path)
    }
  }

  private func read(_ objects: inout ObjectFold, _ view: View) throws(StoreError) {
    for position in stride(from: UInt64(1), through: head, by: 1) {
      var failure: ReplayError?
      try log.withFrame(position, view) { (frame) throws(MalformedBytes) in
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

  private func append(
    _ record: [UInt8], _ key: ObjectKey, in transaction: borrowing WriteTransaction
  ) throws(SaveFailure) {
    let key = CollectionOfOne(key)
    do throws(LMDBError) {
      try ObjectTable(tables.objects, path: path).rows.append(transaction, key: key.span.bytes, value: record)
    } catch {
      throw .broken(error)
    }
  }
}
