import RepriseLMDB
import RepriseObjectModel

extension Store {
  /// Proves the store against itself: the hash chain and the checksums of the log; that the objects are what the log
  /// adds up to, byte for byte; that indexes and counts agree with the objects.
  ///
  /// Reads everything once per 500,000 objects, in one snapshot of the last commit: saves go on meanwhile, but the
  /// pages they free are not used again until it ends.
  ///
  /// - Returns: What was checked, and what does not hold. Damage is a finding, not an error.
  /// - Throws: ``StoreError`` if the store cannot be read at all.
  public func verify() async throws(StoreError) -> VerificationReport {
    let result: Result<VerificationReport, StoreError> = await Task.detached { [self] in
      do throws(StoreError) {
        return .success(try verifyNow())
      } catch {
        return .failure(error)
      }
    }.value
    return try result.get()
  }

  package func verifyNow() throws(StoreError) -> VerificationReport {
    try read { (view, head) throws(StoreError) in
      var verifier = Verifier(store: self, map: map, head: head)
      try verifier.verifyLog(view)
      try verifier.verifyObjects(view)
      try verifier.verifyIndexes(view)
      return verifier.report
    }
  }
}

private struct Verifier {
  let store: Store
  let map: SchemaMap
  let head: UInt64
  private var transactions = 0
  private var events = 0
  private var objects = 0
  private var indexRows = 0
  private var problems: [String] = []
  private var slices = FoldSlices()

  init(store: Store, map: SchemaMap, head: UInt64) {
    self.store = store
    self.map = map
    self.head = head
  }

  var report: VerificationReport {
    VerificationReport(
      transactions: transactions, events: events, objects: objects, indexRows: indexRows, problems: problems)
  }

  private mutating func found(_ problem: String) { if problems.count < 100 { problems.append(problem) } }

  // MARK: The log

  /// Checksums, positions, times, each transaction's hash over the one before; and that `meta` repeats what the log
  /// says.
  mutating func verifyLog(_ view: View) throws(StoreError) {
    let log = LogTable(store.tables.log, path: store.path)
    var fold = MetaFold()
    var isWhole = true
    // `nil` behind a frame that cannot be read: the chain goes on from what the next one says of itself, so that one
    // bad frame is one finding.
    var hash: Digest? = .zero
    var time = Int64.min
    for position in stride(from: UInt64(1), through: head, by: 1) {
      do throws(StoreError) {
        try log.withFrame(position, view) { (frame) throws(MalformedBytes) in
          if let hash, !(try frame.verifyHash(logID: store.logID, previousHash: hash)) {
            found("Transaction \(position) is not the one that its hash was made for.")
          }
          if frame.logTime <= time { found("Transaction \(position) is not later than the one before.") }
          (hash, time) = (frame.hash, frame.logTime)
          try fold.add(frame)
          var events = frame.events
          while let event = try events.next() { slices.add(event) }
        }
        transactions += 1
      } catch {
        guard case .damaged(_, let reason) = error else { throw error }
        found("Transaction \(position): \(reason).")
        hash = nil
        isWhole = false
      }
    }
    guard isWhole else { return }
    for problem in try fold.problems(MetaTable(store.tables.meta, path: store.path), view) { found(problem) }
  }

  // MARK: The objects

  mutating func verifyObjects(_ view: View) throws(StoreError) {
    for (index, slice) in slices.ranges.enumerated() { try verifyObjects(of: slice, isFirst: index == 0, view) }
  }

  private mutating func verifyObjects(
    of slice: Range<ObjectFold.Address>, isFirst: Bool, _ view: View
  ) throws(StoreError) {
    let log = LogTable(store.tables.log, path: store.path)
    var folded = ObjectFold(slice)
    for position in stride(from: UInt64(1), through: head, by: 1) {
      var applied = 0
      var wrong: [String] = []
      do throws(StoreError) {
        try log.withFrame(position, view) { (frame) throws(MalformedBytes) in
          var events = frame.events
          while let event = try events.next() {
            applied += 1
            do throws(ReplayError) {
              try folded.add(event, at: position)
            } catch {
              wrong.append("Transaction \(position), object \(event.uuid): \(error).")
            }
          }
        }
      } catch {
        // Found already, with the log.
        guard case .damaged = error else { throw error }
      }
      if isFirst { events += applied }
      for problem in wrong { found(problem) }
    }
    try compare(&folded, isFirst: isFirst, view)
  }

  private mutating func compare(
    _ folded: inout ObjectFold, isFirst: Bool, _ view: View
  ) throws(StoreError) {
    var wrong: [String] = []
    var counts: [UInt32: Int] = [:]
    let rows = ObjectTable(store.tables.objects, path: store.path).rows
    let start = CollectionOfOne(ObjectKey(entity: 0, uuid: .zero))
    try rows.scan(view, from: start.span.bytes) { (key, bytes) throws(StoreError) in
      guard let key = ObjectKey(key) else {
        wrong.append("A row of the table 'objects' has a key that is none.")
        return true
      }
      if !key.isTombstone { counts[key.entity, default: 0] += 1 }
      let address = ObjectFold.Address(entity: key.entity, uuid: key.uuid)
      guard folded.slice.contains(address) else { return true }
      if let record = folded.remove(address) {
        if !record.elementsEqual(bytes) { wrong.append("The record of \(key.uuid) is not what the log adds up to.") }
      } else {
        wrong.append("The record of \(key.uuid) is in no transaction of the log.")
      }
      return true
    }
    for problem in wrong { found(problem) }
    for object in folded.records.keys { found("\(object.uuid) is in the log and has no record.") }
    guard isFirst else { return }
    objects = counts.values.reduce(0, +)
    for entity in map.stored.entities { try verifyCount(of: entity, counts[entity.number, default: 0], view) }
  }

  private mutating func verifyCount(of entity: StoredEntity, _ objects: Int, _ view: View) throws(StoreError) {
    do throws(StoreError) {
      let count = try MetaTable(store.tables.meta, path: store.path).count(of: entity.number, view)
      if count != objects { found("\(entity.name) has \(objects) objects, and a count of \(count).") }
    } catch {
      guard case .damaged(_, let reason) = error else { throw error }
      found("\(entity.name) has \(objects) objects, and no count: \(reason).")
    }
  }

  // MARK: The indexes

  mutating func verifyIndexes(_ view: View) throws(StoreError) {
    for entity in map.all {
      for slot in entity.indexes.indices {
        guard let number = entity.indexes[slot], entity.numbers[slot] != 0 else { continue }
        let name = "\(entity.entity.name).\(entity.entity.properties[slot].name)"
        do throws(IndexError) {
          if entity.entity.properties[slot].attribute == nil {
            try verifyPlain(PlainIndex(number: number, table: store.tables.indexes), name, entity, slot, view)
          } else {
            try verifyCounted(CountedIndex(number: number, table: store.tables.indexes), name, entity, slot, view)
          }
        } catch {
          if case .storage(let error) = error { throw StoreError(error) }
          found("The index over \(name): \(error)")
        }
      }
    }
  }

  private mutating func verifyCounted(
    _ index: CountedIndex, _ name: String, _ entity: EntityMap, _ slot: Int, _ view: View
  ) throws(IndexError) {
    for problem in try index.verify(in: view) { found("The index over \(name): \(problem).") }
    let keys = try rowKeys(entity, view) { values, uuid in RowKey.bytes(values[slot], uuid) }
    let rows = try index.count(in: view)
    if rows != keys.count { found("The index over \(name) has \(rows) rows for \(keys.count) objects.") }
    for key in keys where try !index.contains(key, in: view) { found("The index over \(name) lacks a row.") }
    indexRows += rows
  }

  private mutating func verifyPlain(
    _ index: PlainIndex, _ name: String, _ entity: EntityMap, _ slot: Int, _ view: View
  ) throws(IndexError) {
    var expected: [(target: UniqueID, source: UniqueID)] = []
    _ = try rowKeys(entity, view) { values, uuid in
      if let target = values[slot].reference { expected.append((target.uuid, uuid)) }
      return []
    }
    for (target, source) in expected where try !index.contains(target: target, source: source, in: view) {
      found("The index over \(name) lacks a row for \(source).")
    }
    let rows = try index.rowCount(in: view)
    if rows != expected.count { found("The index over \(name) has \(rows) rows for \(expected.count) references.") }
    indexRows += rows
  }

  private mutating func rowKeys(
    _ entity: EntityMap, _ view: View, _ key: (ContiguousArray<PropertyValue>, UniqueID) -> [UInt8]
  ) throws(IndexError) -> [[UInt8]] {
    var keys: [[UInt8]] = []
    do throws(StoreError) {
      try ObjectTable(store.tables.objects, path: store.path).forEach(entity, map, view) { uuid, values in
        keys.append(key(values, uuid))
      }
    } catch {
      found(error.description)
    }
    return keys
  }
}
