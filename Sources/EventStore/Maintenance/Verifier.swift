import RepriseLMDB
import RepriseObjectModel

/// Verifies a store against its own log. Needs no models.
struct Verifier {
  let store: Store
  let head: Position
  /// The head hash kept outside the store.
  private let kept: LogToken?
  /// The stored schema, which may have grown since this process opened the store.
  private(set) var schema = StoredSchema()
  private(set) var references = BlobReferences(StoredSchema())
  /// Where the log begins; `nil` if it is whole.
  private(set) var floor: LogFloor?
  private var transactions = 0
  private var events = 0
  private var objects = 0
  var indexRows = 0
  var blobs = 0
  var sliceBytes = IndexRows.sliceBytes
  private var problems: [String] = []

  init(store: Store, head: Position, kept: LogToken?) {
    self.kept = kept
    self.store = store
    self.head = head
  }

  var report: VerificationReport {
    VerificationReport(
      transactions: transactions, events: events, objects: objects, indexRows: indexRows, blobs: blobs,
      problems: problems)
  }

  mutating func found(_ problem: String) { if problems.count < 100 { problems.append(problem) } }

  // MARK: The log

  /// Verifies checksums, positions, times and the hash chain, and that `meta` agrees with the log.
  mutating func verifyLog(_ view: View) throws(StorageError) {
    schema = try storedSchema(view)
    references = BlobReferences(schema)
    floor = try logFloor(view)
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
      verifier.transactions += 1
    } damaged: { verifier, problem in
      verifier.found(problem)
      hash = nil
      isWhole = false
    }
    verifyEnd(hash, try end(view))
    if let kept { verifyReach(kept) }
    guard isWhole else { return }
    for problem in try fold.problems(MetaTable(store.tables.meta), view) { found(problem) }
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
  private mutating func forEachTransaction(
    _ view: View, _ body: (inout Verifier, Position, LogFrame) throws(MalformedBytes) -> Void,
    damaged: (inout Verifier, _ problem: String) -> Void
  ) throws(StorageError) {
    let log = store.log
    var position: Position = floor?.position ?? 1
    while position <= head {
      do throws(StorageError) {
        try log.withFrame(position, view) { (frame) throws(MalformedBytes) in try body(&self, position, frame) }
        if position == head { return }
        position = position + 1
      } catch {
        guard let reason = error.damage else { throw error }
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

  // MARK: The objects

  mutating func verifyObjects(_ view: View) throws(StorageError) {
    if let floor { return try verifyObjects(above: floor, view) }
    var rest = ObjectFold.all
    var isFirst = true
    repeat {
      rest = try verifyObjects(of: rest, isFirst: isFirst, view)
      isFirst = false
    } while !rest.isEmpty
  }

  /// Verifies as many objects as fit in a fold; returns the range of the others.
  private mutating func verifyObjects(
    of slice: Range<ObjectFold.Address>, isFirst: Bool, _ view: View
  ) throws(StorageError) -> Range<ObjectFold.Address> {
    let check = ValueCheck(schema)
    var folded = ObjectFold(slice)
    var wrong: [(address: ObjectFold.Address, problem: String)] = []
    try forEachTransaction(view) { verifier, position, frame throws(MalformedBytes) in
      var rest = frame.events
      while let event = try rest.next() {
        if isFirst { verifier.look(at: event, position, check) }
        do throws(ReplayError) {
          try folded.add(event, at: position)
        } catch {
          let address = ObjectFold.Address(entity: event.entity, uuid: event.uuid)
          wrong.append((address, "Transaction \(position), object \(event.uuid): \(error)."))
        }
        if !folded.matchesKeyframe(of: event, in: frame) {
          let address = ObjectFold.Address(entity: event.entity, uuid: event.uuid)
          wrong.append((address, WrongKeyframe(position: position, object: event.uuid).problem))
        }
      }
    } damaged: { _, _ in
      // Reported already, with the log.
    }
    for (address, problem) in wrong where folded.slice.contains(address) { found(problem) }
    try compare(&folded, isFirst: isFirst, view)
    return folded.rest
  }

  /// Verifies the values of an event.
  private mutating func look(at event: LogEvent, _ position: Position, _ check: ValueCheck) {
    events += 1
    // Unreadable events are reported when they are replayed.
    if !references.areNone { try? references.add(event) }
    for problem in (try? check.problems(event)) ?? [] {
      found("Transaction \(position), object \(event.uuid): \(problem).")
    }
  }

  /// Of a log whose beginning was dropped: takes it back from the objects, and compares what is left with the digest.
  private mutating func verifyObjects(above floor: LogFloor, _ view: View) throws(StorageError) {
    let check = ValueCheck(schema)
    try forEachTransaction(view) { verifier, position, frame throws(MalformedBytes) in
      var events = frame.events
      while let event = try events.next() { verifier.look(at: event, position, check) }
    } damaged: { _, _ in
      // Reported already, with the log.
    }
    let state = BaseState(log: store.log, objects: store.objects, floor: floor.position, head: head)
    var references = references
    let found = try state.findings(
      view, log: view,
      fields: { (fields) throws(MalformedBytes) in if !references.areNone { try references.add(fields) } })
    self.references = references
    guard let found else { return }
    for problem in found.problems + found.wrongKeyframes.map(\.problem) { self.found(problem) }
    if found.problems.isEmpty, found.digest != floor.record.base {
      self.found("The objects before transaction \(floor.position) are not those of the dropped log.")
    }
    objects = found.counts.values.reduce(0, +)
    for entity in schema.entities { try verifyCount(of: entity, found.counts[entity.number, default: 0], view) }
  }

  private mutating func compare(
    _ folded: inout ObjectFold, isFirst: Bool, _ view: View
  ) throws(StorageError) {
    var wrong: [String] = []
    var counts: [UInt32: Int] = [:]
    let table = store.objects
    let start = CollectionOfOne(ObjectKey(entity: 0, uuid: .zero))
    try table.rows.scan(view, from: start.span.bytes) { (key, bytes) throws(StorageError) in
      guard let key = ObjectKey(key) else {
        wrong.append("A row of the table 'objects' has a key that is none.")
        return true
      }
      if !key.isTombstone { counts[key.entity, default: 0] += 1 }
      let address = ObjectFold.Address(entity: key.entity, uuid: key.uuid)
      guard folded.slice.contains(address) else { return true }
      if let record = folded.take(address) {
        do throws(StorageError) {
          let isSame =
            RecordReader.isSplit(bytes)
            ? try table.joined(bytes, key, view) == record : record.elementsEqual(bytes)
          if !isSame { wrong.append("The record of \(key.uuid) is not what the log adds up to.") }
        } catch {
          guard let reason = error.damage else { throw error }
          wrong.append("The record of \(key.uuid) is damaged: \(reason).")
        }
      } else {
        wrong.append("The record of \(key.uuid) is in no transaction of the log.")
      }
      return true
    }
    for problem in wrong { found(problem) }
    for entry in folded.entries where entry.record != nil {
      found("\(entry.address.uuid) is in the log and has no record.")
    }
    guard isFirst else { return }
    objects = counts.values.reduce(0, +)
    for entity in schema.entities { try verifyCount(of: entity, counts[entity.number, default: 0], view) }
  }

  private mutating func verifyCount(of entity: StoredEntity, _ objects: Int, _ view: View) throws(StorageError) {
    do throws(StorageError) {
      let count = try MetaTable(store.tables.meta).count(of: entity.number, view)
      if count != objects { found("\(entity.name) has \(objects) objects, and a count of \(count).") }
    } catch {
      guard let reason = error.damage else { throw error }
      found("\(entity.name) has \(objects) objects, and no count: \(reason).")
    }
  }
}
