import RepriseLMDB
import RepriseObjectModel

/// A transaction told the other way round: what leads from the state that it left to the one that it found. Merged with
/// the present, it takes the transaction back.
package struct TransactionReversal: Sendable {
  package let position: Position
  package let name: String?
  /// As ``Reversal/supersedes``.
  package let supersedes: Position?
  package let changes: [(object: AnyObjectID, change: ObjectChange)]
}

/// The objects of which the last transaction told the other way round changed a part of a value, as they were before
/// it. Whoever goes on with the transaction before has what that left, and need not take back all later versions again.
package struct ReversedObjects: Sendable {
  fileprivate var versions: [AnyObjectID: Version] = [:]

  package init() {}

  fileprivate struct Version {
    /// The transaction that made it.
    let position: Position
    let values: LogEvent.Values
  }
}

extension Store {
  /// A transaction told the other way round. Costs its events; of an edit of a long text also the object's later
  /// versions, unless the last one was the next after it.
  ///
  /// - Parameter last: What is known from the last one.
  package func reversal(
    of position: Position, after last: inout ReversedObjects
  ) throws(RevertError) -> TransactionReversal {
    let result: Result<TransactionReversal, RevertError>
    do throws(StoreError) {
      result = try read { (view, head) throws(StorageError) in
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
    var reader = ReversalReader(past: past, map: map, position: position, last: last)
    var envelope: FrameEnvelope?
    var failure: StorageError?
    try log.forEachEvent(of: position, view) { (frame) throws(MalformedBytes) in
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
      // If that was a redo, what it stood in for is what comes back.
      let isThere = try undone >= MetaTable(tables.meta).firstPosition(view)
      if isThere {
        supersedes = try log.withFrame(undone, view) { (frame) throws(MalformedBytes) in frame.envelope.supersedes }
      }
      supersedes = supersedes ?? undone
    }
    let name = try self.reader(TransactionFilter()).name(envelope?.name ?? .none, view)
    return .success(
      TransactionReversal(position: position, name: name, supersedes: supersedes, changes: reader.changes))
  }
}

extension Store {
  /// The transactions after a position that changed an object, or a property of it, oldest first.
  package func positions(
    ofChangesTo object: AnyObjectID, property: String?, after earlier: Position, upTo later: Position
  ) throws(StoreError) -> [Position] {
    guard let map = map.map(object.name) else { return [] }
    let slot = property.flatMap { map.entity.slot(named: $0) }
    return try read { (view, head) throws(StorageError) in
      var positions: [Position] = []
      let lower = max(earlier + 1, try MetaTable(tables.meta).firstPosition(view))
      var values = PastValues(past, object, map)
      let frames = log.reader(view)
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

/// Collects the changes of a transaction, each the other way round.
private struct ReversalReader {
  let past: PastReader
  let map: SchemaMap
  let position: Position
  private let last: ReversedObjects
  private(set) var changes: [(object: AnyObjectID, change: ObjectChange)] = []
  private(set) var found = ReversedObjects()
  /// Why there is no reversal.
  var reason: RevertError.Reason?

  init(past: PastReader, map: SchemaMap, position: Position, last: ReversedObjects) {
    self.past = past
    self.map = map
    self.position = position
    self.last = last
  }

  mutating func add(_ event: LogEvent, _ view: View) throws(StorageError) {
    guard let kind = event.kind, !event.isRedacted || !kind.isOfAnObject else { return reason = .erased }
    guard kind.isOfAnObject else { return }
    guard let object = event.object(map), let entity = map.map(object.name) else {
      return reason = .unknown(entity: map.stored.entity(number: event.entity)?.name ?? "an entity", property: nil)
    }
    let isSpliced = try past.log.applying(position) { () throws(ReplayError) in try event.isSpliced }
    let around = isSpliced ? try values(around: event, of: object, entity, view) : nil
    let (change, unknown) = try past.log.applying(position) { () throws(ReplayError) in
      switch kind {
      case .inserted: (ObjectChange.deleted(try event.allValues(entity, map)), UInt32?.none)
      case .deleted, .mergedInto:
        (ObjectChange.inserted(try event.allValues(entity, map)), try event.unknownField(entity))
      case .updated: try update(event, entity, around)
      case .edgeAdded, .edgeRemoved, .schema, .names, .compaction: (ObjectChange.updated([]), event.edgeProperty)
      }
    }
    if let unknown {
      let property = map.stored.entity(number: entity.number)?.property(number: unknown)
      return reason = .unknown(
        entity: entity.entity.name, property: property?.formerNames.last ?? property?.name ?? "a property")
    }
    changes.append((object, change))
  }

  /// The values that the transaction found, and those that it left.
  private mutating func values(
    around event: LogEvent, of object: AnyObjectID, _ entity: EntityMap, _ view: View
  ) throws(StorageError) -> (before: LogEvent.Values, after: LogEvent.Values)? {
    var after: LogEvent.Values?
    if let known = last.versions[object], known.position == position {
      after = known.values
    } else {
      let head = try past.objects.values(of: object.uuid, entity, map, view)
      after = try past.rewind(head, object, entity, from: Position(.max), to: position, view)
    }
    var before = after
    try past.log.applying(position) { () throws(ReplayError) in try event.applyBackward(to: &before, entity, map) }
    guard let before, let after else { return nil }
    found.versions[object] = ReversedObjects.Version(position: event.pointers.previous, values: before)
    return (before, after)
  }

  /// - Parameter around: The values that the transaction found, and those that it left, if it changed part of one.
  private func update(
    _ event: LogEvent, _ entity: EntityMap, _ around: (before: LogEvent.Values, after: LogEvent.Values)?
  ) throws(ReplayError) -> (ObjectChange, unknown: UInt32?) {
    var found: [PropertyChange] = []
    var changes = event.changes
    while let (number, change) = try ReplayError.wrapping({ () throws(MalformedBytes) in try changes.next() }) {
      guard let slot = entity.slot(number) else { return (.updated([]), number) }
      switch change {
      case .redacted: throw .redacted(event: event.index)
      case .set(let old, let new):
        found.append(
          PropertyChange(
            slot: slot, old: try event.value(new, slot, entity, map), new: try event.value(old, slot, entity, map)))
      case .splice:
        guard let (before, after) = around else { throw .missingObject(event.uuid) }
        found.append(PropertyChange(slot: slot, old: after[slot], new: before[slot]))
      }
    }
    return (.updated(found.sorted { $0.slot < $1.slot }), nil)
  }
}

extension LogEvent {
  /// Whether it changes a part of a value.
  fileprivate var isSpliced: Bool {
    get throws(ReplayError) {
      var changes = changes
      while let (_, change) = try ReplayError.wrapping({ () throws(MalformedBytes) in try changes.next() }) {
        if case .splice = change { return true }
      }
      return false
    }
  }

  /// A field of a deleted object that the model lacks: without it the object would not come back as it was.
  fileprivate func unknownField(_ entity: EntityMap) throws(ReplayError) -> UInt32? {
    guard let fields else { return nil }
    return try ReplayError.wrapping { () throws(MalformedBytes) in
      var cursor = RecordFields.Cursor(fields)
      while let number = try cursor.nextNumber() {
        let value = try cursor.rawValue()
        if entity.slot(number) == nil, value.first != ValueTag.null.rawValue { return number }
      }
      return nil
    }
  }

  /// The relationship of an edge.
  fileprivate var edgeProperty: UInt32? { (try? edge())?.property ?? 0 }
}
