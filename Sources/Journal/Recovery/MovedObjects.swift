import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// The objects that a draft edits, or points a relationship at, and that a migration has moved to another entity since
/// then. The draft still has them under their former entity.
struct MovedObjects: Sendable {
  /// The entities that they belong to now.
  private var entities: [ObjectAddress: UInt32] = [:]
  /// Maps each link that a migration has replaced to its moved end.
  private var ends: [ObjectAddress: ObjectAddress] = [:]

  var isEmpty: Bool { entities.isEmpty }

  /// The entity of an object that was moved. `nil` for any other object.
  subscript(object: ObjectAddress) -> UInt32? { entities[object] }

  /// The moved object of a value that must be left out. A deletion is kept with any references, but a link to a moved
  /// object is a different link now.
  func end(of field: Change.Field, _ kind: Change.Kind, isOfLink: Bool) -> ObjectAddress? {
    guard !isEmpty, kind != .deleted || isOfLink, let target = field.target(of: kind), self[target] != nil else {
      return nil
    }
    return target
  }

  /// The moved end of a link that a migration has replaced. `nil` for any other object.
  func end(ofLink link: ObjectAddress) -> ObjectAddress? { ends.isEmpty ? nil : ends[link] }

  /// Looks up objects only if migrations have moved some.
  init(_ state: DraftReplay, _ schema: StoredSchema, _ tables: StoreTables, _ view: View) throws(StorageError) {
    let moves = schema.moves
    if moves.isEmpty { return }
    let objects = ObjectTable(tables)
    for object in state.mentioned {
      try find(object, moves, objects, view)
      guard let links = schema.entity(number: object.entity), schema.isLink(links), links.leads(toAnyOf: moves) else {
        continue
      }
      for end in try Self.lastEnds(of: object, objects, LogTable(tables.log), view) {
        try find(end, moves, objects, view)
        if entities[end] != nil { ends[object] = end }
      }
    }
  }

  private mutating func find(
    _ object: ObjectAddress, _ moves: [UInt32: [UInt32]], _ objects: ObjectTable, _ view: View
  ) throws(StorageError) {
    guard moves[object.entity] != nil, entities[object] == nil,
      try !objects.has(ObjectKey(entity: object.entity, uuid: object.uuid), view)
    else { return }
    var (waiting, seen) = ([object.entity], [object.entity] as Set)
    while let source = waiting.popLast(), entities[object] == nil {
      for target in moves[source] ?? [] where seen.insert(target).inserted {
        if try objects.has(ObjectKey(entity: target, uuid: object.uuid), view) { entities[object] = target }
        waiting.append(target)
      }
    }
  }

  /// The ends of a deleted link, from its deletion in the log. Empty if the link exists, or if `retain` has dropped the
  /// deletion.
  private static func lastEnds(
    of link: ObjectAddress, _ objects: ObjectTable, _ log: LogTable, _ view: View
  ) throws(StorageError) -> [ObjectAddress] {
    let key = ObjectKey(tombstoneOf: link.entity, uuid: link.uuid)
    let deleted = try objects.withRecord(key, "a link", view) { (record) in record.header.stack.last }
    guard let deleted, let position = deleted else { return [] }
    let ends = try? log.withFrame(position, view, readsNames: false) { (frame) throws(MalformedBytes) in
      var ends: [ObjectAddress] = []
      var events = frame.events
      while let event = try events.next() {
        guard let change = event.change, change.kind == .deleted, change.object == link, let values = change.whole
        else { continue }
        var fields = RecordFields.Cursor(values)
        while try fields.nextNumber() != nil { if let end = try fields.rawValue().target { ends.append(end) } }
      }
      return ends
    }
    return ends ?? []
  }
}

extension StoredEntity {
  fileprivate func leads(toAnyOf entities: [UInt32: [UInt32]]) -> Bool {
    properties.contains { $0.role.end.map { entities[$0.target] != nil } ?? false }
  }
}

extension StoredSchema {
  /// By entity, the entities that have received some or all of its objects by migrations.
  fileprivate var moves: [UInt32: [UInt32]] {
    var moves: [UInt32: [UInt32]] = [:]
    for descent in descents where descent.kind == .moved { moves[descent.source, default: []].append(descent.target) }
    return moves
  }
}

extension DraftSummary {
  /// Whether migrations may have moved an object that the draft touches or refers to.
  func mayTouchMoved(_ schema: StoredSchema) -> Bool {
    let moves = schema.moves
    if moves.isEmpty { return false }
    return entities.keys.contains { number in
      moves[number] != nil || schema.entity(number: number)?.leads(toAnyOf: moves) ?? false
    }
  }
}

extension DraftReplay {
  /// All objects that the draft edits or sets a relationship to, also in steps that were undone.
  fileprivate var mentioned: Set<ObjectAddress> {
    var mentioned = objects
    func add(_ change: Change) throws(MalformedBytes) {
      var fields = change.fields
      while let (_, field) = try fields.next() {
        if let target = field.target(of: change.kind) { mentioned.insert(target) }
      }
    }
    bytes.lend { lent in
      for layer in layers {
        for net in layer.net.nets where net.kind != nil {
          var writer = ByteWriter()
          layer.net.write(net, lent, to: &writer) { _, _ in true }
          let body = writer.bytes
          try? body.lend { (bytes) throws(MalformedBytes) in try add(Change(bytes)) }
        }
        for place in (layer.groups + layer.redo).flatMap(\.steps) { try? add(DraftStep(lent[place]).change) }
      }
    }
    return mentioned
  }
}

extension Change.Field {
  /// The object that the new value refers to. In a deletion, it is the object that the old value referred to. `nil` if
  /// the value is not a reference.
  func target(of kind: Change.Kind) -> ObjectAddress? {
    guard case .set(let old, let new) = self else { return nil }
    return (kind == .deleted ? old : new).target
  }
}

extension UnsafeRawBufferPointer {
  /// The target, if the bytes are a tagged reference.
  fileprivate var target: ObjectAddress? {
    guard first == ValueTag.reference.rawValue else { return nil }
    var reader = ByteReader(self)
    reader.offset = 1
    guard let entity = try? reader.number("an entity's number"), let uuid = try? reader.uuid() else { return nil }
    return ObjectAddress(entity: entity, uuid: uuid)
  }
}
