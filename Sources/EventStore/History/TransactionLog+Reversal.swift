import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// The reversal of a transaction: the changes from the state after it to the state before it. Merging them with the
/// present reverts the transaction.
package struct TransactionReversal: Sendable {
  package let position: Position
  package let name: String?
  /// As ``Reversal/supersedes``.
  package let supersedes: Position?
  package let changes: [(object: AnyObjectID, change: ObjectChange)]
}

/// The objects in which the last reversed transaction changed a part of a value, with their values before it. If the
/// caller continues with the transaction before, the later versions of these objects need not be reverted again.
package struct ReversedObjects: Sendable {
  fileprivate var versions: [AnyObjectID: Version] = [:]

  package init() {}

  fileprivate struct Version {
    /// The position of the transaction that made the version.
    let position: Position
    let values: ContiguousArray<PropertyValue>
  }
}

extension TransactionLog {
  /// The reversal of a transaction. Costs its events. An edit of a long text costs the object's later versions, too,
  /// unless the last call was for the next version.
  ///
  /// - Parameter last: The objects that the last call found.
  package func reversal(
    of position: Position, after last: inout ReversedObjects
  ) throws(RevertError) -> TransactionReversal {
    let result: Result<TransactionReversal, RevertError>
    do throws(StoreError) {
      result = try store.read { (view, head) throws(StorageError) in
        guard position > 0, position <= head else { return .failure(.notFound(position, head: head)) }
        try requireTransaction(position, view)
        return try reversal(of: position, after: &last, view)
      }
    } catch {
      throw .store(error)
    }
    return try result.get()
  }

  private func reversal(
    of position: Position, after last: inout ReversedObjects, _ view: View
  ) throws(StorageError) -> Result<TransactionReversal, RevertError> {
    var reader = ReversalReader(past: store.objects.past, map: store.map, position: position, last: last)
    var envelope: FrameEnvelope?
    var failure: StorageError?
    try store.files.log.forEachEvent(of: position, view) { (frame) throws(MalformedBytes) in
      envelope = frame.envelope
    } _: { (event) throws(ReplayError) in
      guard failure == nil, reader.reason == nil else { return }
      do throws(StorageError) {
        try reader.add(event, view)
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    if reader.changes.isEmpty { reader.reason = reader.reason ?? .noChanges }
    if let reason = reader.reason { return .failure(.irreversible(position, reason)) }
    last = reader.found
    var supersedes: Position?
    if let undone = envelope?.undoes, envelope?.supersedes == nil {
      // The reversal of a redo brings back the transaction that the redo replaced.
      let isThere = try undone >= MetaTable(store.tables.meta).firstPosition(view)
      if isThere {
        supersedes = try store.files.log.withFrame(undone, view) { (frame) throws(MalformedBytes) in
          frame.envelope.supersedes
        }
      }
      supersedes = supersedes ?? undone
    }
    let name = try self.reader(TransactionFilter()).name(envelope?.name ?? .none, view)
    return .success(
      TransactionReversal(position: position, name: name, supersedes: supersedes, changes: reader.changes))
  }
}

extension TransactionLog {
  /// The transactions after a position that changed an object, or one of its properties, oldest first.
  package func positions(
    ofChangesTo object: AnyObjectID, property: String?, after earlier: Position, upTo later: Position
  ) throws(StoreError) -> [Position] {
    guard let map = store.map.map(object.name) else { return [] }
    let slot = property.flatMap { map.entity.slot(named: $0) }
    return try store.read { (view, head) throws(StorageError) in
      var positions: [Position] = []
      let lower = max(earlier + 1, try MetaTable(store.tables.meta).firstPosition(view))
      let past = store.objects.past
      var values = PastValues(past, object, map)
      let frames = store.files.log.reader(view)
      try past.forEachVersion(of: object, map, upTo: min(later, head), from: lower, frames) {
        (version) throws(StorageError) in
        if let slot, case (let before?, let after?) = try values.around(version, frames),
          before[slot].isIdentical(to: after[slot])
        {
          return
        }
        positions.append(version.position)
      }
      return positions.reversed()
    }
  }
}

/// Collects the reversals of a transaction's changes.
private struct ReversalReader {
  let past: PastReader
  let map: SchemaMap
  let position: Position
  private let last: ReversedObjects
  private(set) var changes: [(object: AnyObjectID, change: ObjectChange)] = []
  private(set) var found = ReversedObjects()
  /// The reason why there is no reversal.
  var reason: RevertError.Reason?

  init(past: PastReader, map: SchemaMap, position: Position, last: ReversedObjects) {
    self.past = past
    self.map = map
    self.position = position
    self.last = last
  }

  mutating func add(_ event: LogEvent, _ view: View) throws(StorageError) {
    guard event.kind != nil, !event.isRedacted || event.change == nil else { return reason = .erased }
    guard let change = event.change else { return }
    guard let object = event.object(map), var reversed = SlotChange(change.inverse.kind, of: change.object, map) else {
      let name = map.stored.entity(number: change.object.entity)?.name
      return reason = .unknown(entity: name ?? "an entity", property: nil)
    }
    if event.kind != .updated, change.kind == .updated {
      let edge = try applying { () throws(MalformedBytes) in try event.edge() }
      return reason = unknown(edge?.property ?? 0, of: reversed.entity)
    }
    var around: (before: ContiguousArray<PropertyValue>, after: ContiguousArray<PropertyValue>)?
    var fields = change.inverse.fields
    while let (number, field) = try applying({ () throws(MalformedBytes) in try fields.next() }) {
      guard let slot = reversed.entity.slot(number) else {
        // Without the property the object would not be as before. An object that the reversal deletes needs no
        // property.
        if change.kind == .inserted || change.kind == .deleted && field.isOfNull { continue }
        return reason = unknown(number, of: reversed.entity)
      }
      switch field {
      case .redacted: return reason = .erased
      case .set(let old, let new):
        let (entity, map) = (reversed.entity, map)
        let (from, to) = try applying { () throws(MalformedBytes) in
          (try entity.value(old, slot, map), try entity.value(new, slot, map))
        }
        reversed.add(slot, from: from, to: to)
      case .splice:
        if around == nil { around = try values(around: event, change, of: object, reversed.entity, view) }
        if let (before, after) = around { reversed.add(slot, from: after[slot], to: before[slot]) }
      }
    }
    changes.append(reversed.finished)
  }

  private func applying<Result>(_ body: () throws(MalformedBytes) -> Result) throws(StorageError) -> Result {
    try past.log.applying(position) { () throws(ReplayError) in try ReplayError.wrapping(body) }
  }

  private func unknown(_ number: UInt32, of entity: EntityMap) -> RevertError.Reason {
    let property = map.stored.entity(number: entity.number)?.property(number: number)
    return .unknown(
      entity: entity.entity.name, property: property?.formerNames.last ?? property?.name ?? "a property")
  }

  /// The values before the transaction, and after it.
  private mutating func values(
    around event: LogEvent, _ change: Change, of object: AnyObjectID, _ entity: EntityMap, _ view: View
  ) throws(StorageError) -> (before: ContiguousArray<PropertyValue>, after: ContiguousArray<PropertyValue>) {
    var after: ContiguousArray<PropertyValue>?
    if let known = last.versions[object], known.position == position {
      after = known.values
    } else {
      let head = try past.objects.values(of: object.uuid, entity, map, view)
      after = try past.rewind(head, object, entity, from: Position(.max), to: position, view)
    }
    return try past.log.applying(position) { () throws(ReplayError) in
      guard let after, let before = try change.inverse.applied(to: after, entity, map) else {
        throw .missingObject(object.uuid)
      }
      found.versions[object] = ReversedObjects.Version(position: event.pointers.previous, values: before)
      return (before, after)
    }
  }
}

extension Change.Field {
  fileprivate var isOfNull: Bool {
    guard case .set(_, let new) = self else { return false }
    return new.first == ValueTag.null.rawValue
  }
}
