import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// The objects at the end of the intact part of a log whose beginning `retain` has dropped. This part alone cannot make
/// them. Their records in the damaged file can, with the events after these records.
///
/// If an object is lost, the transactions that change it no longer fit the objects. The new log then begins after the
/// last of them.
struct KeptObjects {
  private let tables: StoreTables
  private let floor: LogFloor
  /// The end of the intact part.
  private let head: LogHead
  private let sliceSize: Int
  /// The last transaction of the intact part that changes a lost object.
  private var lastUnknown: Position = 0
  private var tombstones: [(key: ObjectKey, record: [UInt8])] = []
  /// The first transaction of the new log.
  private(set) var first: Position
  private(set) var problems: [StoreFinding] = []

  init(_ tables: StoreTables, from floor: LogFloor, to head: LogHead, sliceSize: Int) {
    (self.tables, self.floor, self.head, self.sliceSize) = (tables, floor, head, sliceSize)
    first = floor.position
  }

  /// The transactions of the intact part that the new log does not have. `nil` if it has all.
  var leftOut: ClosedRange<Position>? { first > floor.position ? floor.position...first - 1 : nil }

  private var log: LogTable { LogTable(tables.log) }

  // MARK: Writing

  /// Writes the objects and the floor. Removes the transactions that no longer fit.
  ///
  /// - Parameter isWhole: Whether the log has no gap. Then the digest of the floor shows whether objects are lost.
  mutating func write(
    _ records: FoundRecords, _ file: borrowing DataFile, isWhole: Bool, _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    let meta = MetaTable(tables.meta)
    var rest = ObjectFold.all
    repeat {
      var fold = ObjectFold(rest, size: sliceSize, expecting: sliceSize)
      try collect(records, file, &fold)
      try replay(&fold, transaction.view)
      try write(fold, transaction)
      rest = fold.rest
    } while !rest.isEmpty
    // Tombstones sort after all objects.
    for (key, record) in tombstones { try ObjectTable(tables).append(record, key, transaction) }
    tombstones = []
    first = max(floor.position, lastUnknown + 1)
    var found = try state(transaction.view)
    if !found.problems.isEmpty, first <= head.position {
      first = head.position + 1
      found = try state(transaction.view)
    }
    if let problem = found.problems.first { throw tables.objects.damaged([], problem.text) }
    var moved = try movedFloor(meta, transaction.view)
    if let leftOut {
      note(.leftOut(leftOut))
    } else if isWhole, found.digest != floor.record.base {
      note(.truncatedObjects(before: first))
    }
    moved.record.base = found.digest
    try meta.put(moved, transaction)
    try removeTransactions(transaction)
  }

  private mutating func note(_ problem: StoreFinding) { if problems.count < 100 { problems.append(problem) } }

  /// Adds the latest records of a slice that are not from after the intact part.
  private mutating func collect(
    _ records: FoundRecords, _ file: borrowing DataFile, _ fold: inout ObjectFold
  ) throws(StorageError) {
    var (found, lost) = (fold, [StoreFinding]())
    try records.forEach(in: fold.slice, of: file) { (address, stored) throws(StorageError) in
      guard let position = FoundRecords.position(of: stored), position <= head.position else { return }
      let whole = try records.longValues.whole(stored, address.uuid, before: nil, of: file)
      lost += whole.lost.map { .lostValue(object: address.uuid, property: $0) }
      if let record = whole.record { found.set(record, of: address) }
    }
    fold = found
    for problem in lost { note(problem) }
  }

  /// Applies the events after the records.
  private mutating func replay(_ fold: inout ObjectFold, _ view: View) throws(StorageError) {
    var (found, last) = (fold, lastUnknown)
    var unknown: Set<ObjectAddress> = []
    for position in stride(from: floor.position, through: head.position, by: 1) {
      try log.forEachEvent(of: position, view) { (event) throws(ReplayError) in
        guard let address = event.change?.object, found.slice.contains(address) else { return }
        if let present = found.record(of: address), LogContinuation.position(of: present) >= position { return }
        do throws(ReplayError) {
          if !unknown.contains(address) { return try found.add(event, at: position) }
        } catch {
          _ = found.take(address)
          unknown.insert(address)
        }
        last = max(last, position)
      }
    }
    (fold, lastUnknown) = (found, last)
  }

  private mutating func write(
    _ fold: consuming ObjectFold, _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    for entry in fold.sorted() {
      guard let record = entry.record else { continue }
      let (entity, uuid) = (entry.address.entity, entry.address.uuid)
      switch try kind(of: record, entry.address) {
      case .object: try ObjectTable(tables).append(record, ObjectKey(entity: entity, uuid: uuid), transaction)
      // Nothing needs a deletion from before the log.
      case .tombstone where LogContinuation.position(of: record) < floor.position: break
      case .tombstone: tombstones.append((ObjectKey(tombstoneOf: entity, uuid: uuid), record))
      }
    }
  }

  private func kind(of record: [UInt8], _ address: ObjectAddress) throws(StorageError) -> RecordKind {
    let key = ObjectKey(entity: address.entity, uuid: address.uuid)
    return try tables.objects.parsing(key.bytes, "the stored object \(address.uuid)") { () throws(MalformedBytes) in
      try record.lend { (bytes) throws(MalformedBytes) in try RecordReader(bytes).kind }
    }
  }

  // MARK: The floor

  private func state(_ view: View) throws(StorageError) -> BaseState.Findings {
    let state = BaseState(
      log: log, objects: ObjectTable(tables), floor: first, head: head.position, sliceSize: sliceSize)
    return try state.findings(view, log: view) ?? BaseState.Findings()
  }

  private func movedFloor(_ meta: MetaTable, _ view: View) throws(StorageError) -> LogFloor {
    if first == floor.position { return floor }
    var (fold, hash) = (MetaFold(from: floor), floor.record.hash)
    for position in floor.position..<first {
      try log.withFrame(position, view) { (frame) throws(MalformedBytes) in
        hash = frame.hash
        try fold.add(frame)
      }
    }
    let record = CompactionRecord(floor: first, hash: hash, base: .zero, policy: floor.record.policy)
    // The replica of a floor is always known.
    return try fold.floor(record, meta, view) ?? floor
  }

  private func removeTransactions(_ transaction: borrowing WriteTransaction) throws(StorageError) {
    while true {
      let rows = try log.rows(before: first, limit: 1_000, transaction.view)
      if rows.isEmpty { return }
      try transaction.delete(tables.log, shown: rows.map(\.key))
    }
  }

  // MARK: After the intact part

  /// Adds the objects and tombstones of a slice.
  func read(_ fold: inout ObjectFold, _ view: View) throws(StorageError) {
    let objects = ObjectTable(tables)
    var found = fold
    let start = CollectionOfOne(ObjectKey(entity: fold.slice.lowerBound.entity, uuid: fold.slice.lowerBound.uuid))
    try objects.rows.scan(view, from: start.span.bytes) { (key, stored) throws(StorageError) in
      guard let key = ObjectKey(key) else { return true }
      let address = ObjectAddress(entity: key.entity, uuid: key.uuid)
      guard found.slice.contains(address) else { return true }
      found.set(RecordReader.isSplit(stored) ? try objects.joined(stored, key, view) : [UInt8](stored), of: address)
      return true
    }
    fold = found
  }

  /// Applies the transactions after the intact part to the objects.
  func follow(_ transaction: borrowing WriteTransaction) throws(StorageError) {
    let last = try log.lastPosition(transaction.view)
    for position in stride(from: head.position + 1, through: last, by: 1) {
      // Collected first, because a write moves the pages that the events lie on.
      var changed: [(address: ObjectAddress, stored: [UInt8]?, record: [UInt8])] = []
      var failure: StorageError?
      try log.forEachEvent(of: position, transaction.view) { (event) throws(ReplayError) in
        guard failure == nil, let address = event.change?.object else { return }
        let old: [UInt8]?
        do throws(StorageError) { old = try record(of: address, transaction.view) } catch {
          failure = error
          return
        }
        guard let old else { return changed.append((address, nil, try event.replayed(on: nil, at: position))) }
        let new = try old.lend { (old) throws(ReplayError) in try event.replayed(on: old, at: position) }
        changed.append((address, old, new))
      }
      if let failure { throw failure }
      for change in changed { try replace(change.address, change.stored, with: change.record, transaction) }
    }
  }

  private func record(of address: ObjectAddress, _ view: View) throws(StorageError) -> [UInt8]? {
    let objects = ObjectTable(tables)
    if let object = try objects.bytes(ObjectKey(entity: address.entity, uuid: address.uuid), view) { return object }
    return try objects.bytes(ObjectKey(tombstoneOf: address.entity, uuid: address.uuid), view)
  }

  private func replace(
    _ address: ObjectAddress, _ old: [UInt8]?, with new: [UInt8], _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    let objects = ObjectTable(tables)
    func key(_ kind: RecordKind) -> ObjectKey {
      kind == .object
        ? ObjectKey(entity: address.entity, uuid: address.uuid)
        : ObjectKey(tombstoneOf: address.entity, uuid: address.uuid)
    }
    let kind = try kind(of: new, address)
    var replaced = old
    if let old, try self.kind(of: old, address) != kind {
      try objects.delete(key(kind == .object ? .tombstone : .object), old, transaction)
      replaced = nil
    }
    try objects.put(new, key(kind), replacing: replaced, transaction)
  }
}
