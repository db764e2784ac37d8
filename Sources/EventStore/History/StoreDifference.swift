import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// The net change of each object between two positions of a store, with the values at both. It is a value: send it,
/// keep it, or apply it to a context of this store or of a copy.
public struct StoreDifference: Equatable, Sendable, Codable {
  /// The first position of the difference.
  public let from: Position
  /// The second position of the difference. It may be before ``from``.
  public let to: Position
  /// The objects that differ, each once, ordered by entity and then by creation. Properties have their names in the
  /// store. Values are whole; a value that is null at both positions is left out.
  public let changes: [LoggedTransaction.Change]
  /// The changes of links, the objects that the store has for the pairs of many-to-many relationships. In ``changes``,
  /// these are changes of members.
  let links: [LoggedTransaction.Change]

  /// Whether nothing differs.
  public var isEmpty: Bool { changes.isEmpty && links.isEmpty }
}

extension TransactionLog {
  /// The difference between the store at two positions, as one change for each object. If `to` is before `from`, it is
  /// the change back. An object that was inserted and deleted in between is not part of it.
  ///
  /// ```swift
  /// let difference = try store.log.difference(from: before, to: store.log.head)
  /// ```
  ///
  /// Reads the transactions between the two positions. For each object that changed there, the call also reads the
  /// object's versions up to the head. The whole difference is in memory. Objects and properties that the models of
  /// this program lack are not part of it.
  ///
  /// - Throws: ``StoreError``: the store is closed, or the log is damaged; `otherLog` if a position is beyond the head;
  ///   `truncated` if ``retain(_:progress:)`` dropped a transaction between the two.
  public func difference(from: Position, to: Position) throws -> StoreDifference {
    let (lower, upper) = from < to ? (from, to) : (to, from)
    try requireReached(upper)
    let pinned = store.pin(at: lower)
    defer { store.unpin(pinned) }
    try requireReadable(lower)
    var changes: [LoggedTransaction.Change] = []
    var links: [LoggedTransaction.Change] = []
    var pairs: [LoggedTransaction.Change] = []
    let (map, relationships) = (store.map, store.map.stored.links)
    for slice in try changedObjects(after: lower, upTo: upper).slices(of: 512) {
      for (object, entity, values) in try values(of: slice, at: from, to) {
        guard let change = LoggedTransaction.Change(object, entity, map.stored, from: values.from, to: values.to)
        else { continue }
        if let relationship = relationships[entity.number] {
          links.append(change)
          if change.kind != .updated { pairs += relationship.changes(change) }
        } else {
          changes.append(change)
        }
      }
    }
    changes.join(pairs)
    return StoreDifference(from: from, to: to, changes: changes, links: links)
  }

  /// The difference between the store after the transactions of two tokens. Otherwise, the call works like
  /// ``difference(from:to:)-(Position,_)``. Pass tokens if you keep them for later launches: the store may have been
  /// restored from a backup meanwhile.
  ///
  /// - Throws: The same errors, and ``StoreError/otherLog(path:token:head:)`` if the log does not have a token's
  ///   transaction.
  public func difference(from: LogToken, to: LogToken) throws -> StoreDifference {
    try require(from)
    try require(to)
    return try difference(from: from.position, to: to.position)
  }

  /// The changed objects of this program's models, in the store's order.
  private func changedObjects(
    after lower: Position, upTo upper: Position
  ) throws(StoreError) -> [(object: AnyObjectID, entity: EntityMap)] {
    var found: Set<AnyObjectID> = []
    var position = lower
    while position < upper {
      let last = min(upper, position + 256)
      try store.read { (view, _) throws(StorageError) in
        try store.objects.past.forEachChange(after: position, upTo: last, view) { found.insert($0) }
      }
      position = last
    }
    return found.compactMap { id in store.map.map(id.name).map { (id, $0) } }
      .sorted { ($0.entity.number, $0.object.uuid) < ($1.entity.number, $1.object.uuid) }
  }

  private typealias Ends = (from: ContiguousArray<PropertyValue>?, to: ContiguousArray<PropertyValue>?)

  private func values(
    of objects: ArraySlice<(object: AnyObjectID, entity: EntityMap)>, at from: Position, _ to: Position
  ) throws(StoreError) -> [(AnyObjectID, EntityMap, Ends)] {
    try store.read { (view, head) throws(StorageError) in
      var found: [(AnyObjectID, EntityMap, Ends)] = []
      for (id, entity) in objects {
        let now = try store.files.objects.values(of: id.uuid, entity, store.map, view)
        let late = try store.objects.rewind(now, id, entity, from: head, to: max(from, to), view)
        let early = try store.objects.rewind(late, id, entity, from: max(from, to), to: min(from, to), view)
        found.append((id, entity, from < to ? (early, late) : (late, early)))
      }
      return found
    }
  }
}

extension LoggedTransaction.Change {
  /// `nil` if there is no difference.
  fileprivate init?(
    _ object: AnyObjectID, _ entity: EntityMap, _ schema: StoredSchema, from: ContiguousArray<PropertyValue>?,
    to: ContiguousArray<PropertyValue>?
  ) {
    let stored = schema.entity(number: entity.number)
    var properties: [PropertyDifference] = []
    for slot in entity.numbers.indices where entity.numbers[slot] != 0 {
      let (old, new) = (from?[slot] ?? .null, to?[slot] ?? .null)
      guard !old.isIdentical(to: new), let name = stored?.property(number: entity.numbers[slot])?.name else { continue }
      properties.append(PropertyDifference(property: name, form: .value(from: old, to: new)))
    }
    switch (from, to) {
    case (nil, nil): return nil
    case (nil, .some): self.init(object: object, kind: .inserted, properties: properties)
    case (.some, nil): self.init(object: object, kind: .deleted, properties: properties)
    case (.some, .some):
      if properties.isEmpty { return nil }
      self.init(object: object, kind: .updated, properties: properties)
    }
  }
}

extension ManyToMany {
  /// The insertion or deletion of a link, as changes of the objects at both ends.
  fileprivate func changes(_ link: LoggedTransaction.Change) -> [LoggedTransaction.Change] {
    func end(_ property: String) -> AnyObjectID? {
      guard case .value(let from, let to) = link[property] else { return nil }
      return from.reference ?? to.reference
    }
    guard let owner = end("owner"), let member = end("member") else { return [] }
    return changes(isAdded: link.kind == .inserted, owner: owner, member: member)
  }
}

extension Array {
  fileprivate func slices(of size: Int) -> [ArraySlice<Element>] {
    stride(from: 0, to: count, by: size).map { self[$0..<Swift.min($0 + size, count)] }
  }
}

// MARK: As changes of this program's models

extension TransactionLog {
  /// The changes of a difference for this program's models, to be merged.
  package func changes(
    of difference: StoreDifference
  ) throws(SaveError) -> [(object: AnyObjectID, change: ObjectChange)] {
    var found: [(object: AnyObjectID, change: ObjectChange)] = []
    for change in difference.changes + difference.links {
      guard let entity = store.map.map(change.object.name) else {
        throw .unknown(entity: change.object.entity, property: nil)
      }
      var values: [(slot: Int, from: PropertyValue, to: PropertyValue)] = []
      for property in change.properties {
        guard case .value(let from, let to) = property.form else { continue }
        guard let slot = slot(inLog: property.property, of: entity) else {
          throw .unknown(entity: change.object.entity, property: property.property)
        }
        values.append((slot, from, to))
      }
      let all = { (value: ((slot: Int, from: PropertyValue, to: PropertyValue)) -> PropertyValue) in
        var all = entity.emptyValues
        for it in values { all[it.slot] = value(it) }
        return all
      }
      switch change.kind {
      case .inserted: found.append((change.object, .inserted(all { $0.to })))
      case .deleted: found.append((change.object, .deleted(all { $0.from })))
      case .updated where !values.isEmpty:
        let changes = values.map { PropertyChange(slot: $0.slot, old: $0.from, new: $0.to) }
        found.append((change.object, .updated(changes.sorted { $0.slot < $1.slot })))
      case .updated, .erased: break
      }
    }
    return found
  }
}

extension EntityMap {
  /// The values of an object that a difference names without properties: null if that is allowed, else the default.
  fileprivate var emptyValues: ContiguousArray<PropertyValue> {
    var values = defaults
    for (slot, property) in entity.properties.enumerated() where property.attribute?.isOptional ?? true {
      values[slot] = .null
    }
    return values
  }
}
