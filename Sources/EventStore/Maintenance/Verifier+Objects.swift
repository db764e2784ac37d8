import RepriseLMDB
import RepriseLog
import RepriseObjectModel

extension Verifier {
  mutating func verifyObjects(_ view: View) throws(StorageError) {
    try verifyRowsOfObjects(view)
    if let floor { return try verifyObjects(above: floor, view) }
    var rest = ObjectFold.all
    var isFirst = true
    repeat {
      rest = try verifyObjects(of: rest, isFirst: isFirst, view)
      isFirst = false
    } while !rest.isEmpty
  }

  /// Verifies as many objects as fit in a fold. Returns the remaining range.
  private mutating func verifyObjects(
    of slice: Range<ObjectAddress>, isFirst: Bool, _ view: View
  ) throws(StorageError) -> Range<ObjectAddress> {
    let check = ValueCheck(schema, declarations)
    var folded = ObjectFold(slice)
    var wrong: [(address: ObjectAddress, problem: StoreFinding)] = []
    try forEachTransaction(view) { verifier, position, frame throws(MalformedBytes) in
      var rest = frame.events
      while let event = try rest.next() {
        if isFirst { verifier.look(at: event, position, check) }
        guard let address = event.change?.object else { continue }
        do throws(ReplayError) {
          try folded.add(event, at: position)
        } catch {
          wrong.append((address, .event(position, object: address.uuid, reason: "\(error)")))
        }
        if !folded.matchesKeyframe(of: event, in: frame) {
          wrong.append((address, WrongKeyframe(position: position, object: address.uuid).problem))
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
    guard let change = event.change else { return }
    for problem in (try? check.problems(change, at: position)) ?? [] {
      found(.value(position, object: change.object.uuid, problem: problem))
    }
  }

  /// For a truncated log: reverts the log from the objects, and compares the result with the digest.
  private mutating func verifyObjects(above floor: LogFloor, _ view: View) throws(StorageError) {
    let check = ValueCheck(schema, declarations)
    try forEachTransaction(view) { verifier, position, frame throws(MalformedBytes) in
      var events = frame.events
      while let event = try events.next() { verifier.look(at: event, position, check) }
    } damaged: { _, _ in
      // Reported already, with the log.
    }
    let state = BaseState(log: store.files.log, objects: store.files.objects, floor: floor.position, head: head)
    var references = references
    let found = try state.findings(
      view, log: view,
      fields: { (fields) throws(MalformedBytes) in if !references.areNone { try references.add(fields) } })
    self.references = references
    guard let found else { return }
    for problem in found.problems + found.wrongKeyframes.map(\.problem) { self.found(problem) }
    if found.problems.isEmpty, found.digest != floor.record.base {
      self.found(.truncatedObjects(before: floor.position))
    }
    objects = found.counts.values.reduce(0, +)
    for entity in schema.entities { try verifyCount(of: entity, found.counts[entity.number, default: 0], view) }
  }

  private mutating func compare(
    _ folded: inout ObjectFold, isFirst: Bool, _ view: View
  ) throws(StorageError) {
    var wrong: [StoreFinding] = []
    var counts: [UInt32: Int] = [:]
    let table = store.files.objects
    let start = CollectionOfOne(ObjectKey(entity: 0, uuid: .zero))
    try table.rows.scan(view, from: start.span.bytes) { (key, bytes) throws(StorageError) in
      guard let key = ObjectKey(key) else {
        wrong.append(.unreadableKey(table: "objects"))
        return true
      }
      if !key.isTombstone { counts[key.entity, default: 0] += 1 }
      let address = ObjectAddress(entity: key.entity, uuid: key.uuid)
      guard folded.slice.contains(address) else { return true }
      if let record = folded.take(address) {
        do throws(StorageError) {
          if let problem = try table.problem(of: key, RecordKind(of: record), view) {
            wrong.append(.record(key.uuid, reason: problem))
          }
          let isSame =
            RecordReader.isSplit(bytes)
            ? try table.joined(bytes, key, view) == record : record.elementsEqual(bytes)
          if !isSame { wrong.append(.otherRecord(key.uuid)) }
          if !isSame, let saved = (try? RecordReader(stored: bytes))?.position, saved > head {
            wrong.append(.lostTransactions(last: head, saved: saved))
          }
        } catch {
          guard let reason = error.damage else { throw error }
          wrong.append(.record(key.uuid, reason: reason))
        }
      } else {
        wrong.append(.recordNotInLog(key.uuid))
      }
      return true
    }
    for problem in wrong { found(problem) }
    for entry in folded.entries where entry.record != nil {
      found(.missingRecord(entry.address.uuid))
    }
    guard isFirst else { return }
    objects = counts.values.reduce(0, +)
    for entity in schema.entities { try verifyCount(of: entity, counts[entity.number, default: 0], view) }
  }

  private mutating func verifyCount(of entity: StoredEntity, _ objects: Int, _ view: View) throws(StorageError) {
    do throws(StorageError) {
      let count = try MetaTable(store.tables.meta).count(of: entity.number, view)
      if count != objects { found(.count(entity: entity.name, objects: objects, recorded: count)) }
    } catch {
      guard let reason = error.damage else { throw error }
      found(.unreadableCount(entity: entity.name, objects: objects, reason: reason))
    }
  }
}
