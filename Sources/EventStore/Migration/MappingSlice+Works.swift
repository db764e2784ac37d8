import RepriseLMDB
import RepriseLog
import RepriseObjectModel

extension MappingSlice {
  /// Adds the operations of a work for one object.
  mutating func add(
    _ work: MigrationState.Work, _ record: Record, _ view: borrowing View
  ) throws(StoreError) {
    let before = byteCount
    switch work.kind {
    case .follow: try follow(work, record, view)
    case .move: try move(work, record, view)
    case .relink: try relink(work, record, view)
    case .extract: try extract(work, record, view)
    case .inline: try inline(work, record, view)
    case .delete: try delete(record, of: work.source)
    }
    // All of the object's events are in one transaction.
    if byteCount - before > ChunkedRows.maximumSize {
      let most = ChunkedRows.maximumSize
      throw fail(
        record, of: work.source, work,
        "the object before and after the mapping takes more than \(most) bytes together")
    }
  }

  private mutating func follow(
    _ work: MigrationState.Work, _ record: Record, _ view: borrowing View
  ) throws(StoreError) {
    let value = try value(work.reference, of: work.source, in: record)
    guard let id = value.reference, let destination = try destination(of: id.uuid, work.target, view),
      // An object that moves takes its references along.
      try move(record, of: work.source) == nil
    else { return }
    var changes = [(number: work.reference, value: PropertyValue.null)]
    if let end = work.ends.first(where: { $0.old == destination }), end.new != 0 {
      changes.append((end.new, .reference(self.id(id.uuid, destination))))
      for pair in work.pairs {
        changes.append((pair.new, try self.value(pair.old, of: work.source, in: record)))
        changes.append((pair.old, .null))
      }
    }
    try update(record, of: work.source, changes)
  }

  private mutating func move(
    _ work: MigrationState.Work, _ record: Record, _ view: borrowing View
  ) throws(StoreError) {
    guard let taking = try move(record, of: work.source) else {
      if schema.entity(number: work.source)?.name.isEmpty == true {
        throw fail(
          record, of: work.source, work,
          "it meets none of the mappings' conditions, and no model has its entity")
      }
      return
    }
    guard taking == work else { return }
    if try bytes(of: record.uuid, work.target, view) == nil {
      let values = try values(work, record, view)
      try insert(record.uuid, values, in: work.target, for: record, work, view)
    } else if isTrial {
      throw fail(record, of: work.source, work, "the new entity already has an object with the same UUID")
    }
    try delete(record, of: work.source)
  }

  private mutating func relink(
    _ work: MigrationState.Work, _ record: Record, _ view: borrowing View
  ) throws(StoreError) {
    let near = try value(work.reference, of: work.source, in: record)
    guard let id = near.reference, let entity = map.number(id.name), let end = work.ends.first,
      let destination = try destination(of: id.uuid, entity, view)
    else { return }
    // Another work handles links to objects that move elsewhere.
    guard destination == end.old else { return }
    if end.new != 0 {
      let values = try values(work, record, view)
      let target = try map(work.target)
      let references = [Link.ownerName, Link.memberName].map { name in
        target.entity.slot(named: name).flatMap { values[$0].reference?.uuid }
      }
      if let owner = references[0], let member = references[1] {
        let link = Link.id(owner, member)
        if try bytes(of: link, work.target, view) == nil {
          try insert(link, values, in: work.target, for: record, work, view)
        }
      }
    }
    try delete(record, of: work.source)
  }

  private mutating func values(
    _ work: MigrationState.Work, _ record: Record, _ view: borrowing View
  ) throws(StoreError) -> ContiguousArray<PropertyValue> {
    let target = try map(work.target)
    var values = target.defaults
    for pair in work.pairs {
      guard let slot = target.slot(pair.new) else { continue }
      var value = try value(pair.old, of: work.source, in: record)
      if target.entity.properties[slot].attribute == nil,
        let end = schema.entity(number: work.target)?.property(number: pair.new)?.role.end
      {
        value = try reference(value, to: end.target, view)
      }
      values[slot] = value
    }
    let mapping = try mapping(work)
    if mapping.assignments.isEmpty { return values }
    let object = try mapped(record, of: work.source)
    for assignment in mapping.assignments {
      guard let slot = target.entity.slot(named: assignment.property.name) else { continue }
      do {
        values[slot] = try assignment.compute(object)
      } catch {
        throw fail(record, of: work.source, work, "\(error)")
      }
    }
    return values
  }

  private mutating func extract(
    _ work: MigrationState.Work, _ record: Record, _ view: borrowing View
  ) throws(StoreError) {
    let (source, target) = (try map(work.source), try map(work.target))
    let part = Descent.part(of: record.uuid, through: work.reference, work.target)
    var changes: [(number: UInt32, value: PropertyValue)] = []
    if let slot = source.slot(work.reference) {
      guard try value(source.numbers[slot], of: work.source, in: record).isNull else { return }
      changes.append((work.reference, .reference(id(part, work.target))))
    } else if let slot = target.slot(work.reference), let index = target.indexes[slot] {
      let members = try StoreError.converting { () throws(StorageError) in
        try PlainIndex(number: index, table: tables.indexes).members(of: record.uuid, in: view)
      }
      guard members.isEmpty else { return }
    }
    guard try takes(work, record) else { return }
    var values = try values(work, record, view)
    if let slot = target.slot(work.reference) { values[slot] = .reference(id(record.uuid, work.source)) }
    try insert(part, values, in: work.target, for: record, work, view)
    for pair in work.pairs where source.slot(pair.old) == nil { changes.append((pair.old, .null)) }
    try update(record, of: work.source, changes)
  }

  private mutating func inline(
    _ work: MigrationState.Work, _ record: Record, _ view: borrowing View
  ) throws(StoreError) {
    guard let id = try value(work.reference, of: work.source, in: record).reference,
      let bytes = try bytes(of: id.uuid, work.target, view)
    else { return }
    let other: Record = (id.uuid, bytes)
    // Either the object that stays has the reference, or the object that becomes a part of it.
    let source = schema.entity(number: work.source)
    let staysHere = work.pairs.allSatisfy { source?.property(number: $0.new) != nil } && source?.name != ""
    let stays = staysHere ? record : other
    let part = staysHere ? other : record
    let staying = staysHere ? work.source : work.target
    let parts = staysHere ? work.target : work.source
    var changes: [(number: UInt32, value: PropertyValue)] = []
    for pair in work.pairs { changes.append((pair.new, try value(pair.old, of: parts, in: part))) }
    if staysHere, try map(staying).slot(work.reference) == nil { changes.append((work.reference, .null)) }
    try update(stays, of: staying, changes)
  }
}
