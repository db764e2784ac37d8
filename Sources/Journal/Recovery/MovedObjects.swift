import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// The objects that a draft edits, or points a relationship at, and that a migration has moved to another entity since
/// then. The draft has them under their former entity, where they are no longer.
struct MovedObjects: Sendable {
  /// The entities that they belong to now.
  private var entities: [ObjectAddress: UInt32] = [:]

  var isEmpty: Bool { entities.isEmpty }

  /// The entity of an object that was moved; `nil` of any other.
  subscript(object: ObjectAddress) -> UInt32? { entities[object] }

  /// The moved object of a value that is to be left out. An object may be deleted whatever it refers to, but a link of
  /// a moved object is another one now.
  func end(of field: Change.Field, _ kind: Change.Kind, isOfLink: Bool) -> ObjectAddress? {
    guard !isEmpty, kind != .deleted || isOfLink, let target = field.target(of: kind), self[target] != nil else {
      return nil
    }
    return target
  }

  /// Looks nothing up unless a migration has moved objects.
  init(_ state: DraftReplay, _ schema: StoredSchema, _ objects: ObjectTable, _ view: View) throws(StorageError) {
    let moves = schema.moves
    if moves.isEmpty { return }
    for object in state.mentioned where moves[object.entity] != nil {
      if try objects.has(ObjectKey(entity: object.entity, uuid: object.uuid), view) { continue }
      var (waiting, seen) = ([object.entity], [object.entity] as Set)
      while let source = waiting.popLast(), entities[object] == nil {
        for target in moves[source] ?? [] where seen.insert(target).inserted {
          if try objects.has(ObjectKey(entity: target, uuid: object.uuid), view) { entities[object] = target }
          waiting.append(target)
        }
      }
    }
  }
}

extension StoredSchema {
  /// By entity, those to which migrations have moved its objects, or some of them.
  fileprivate var moves: [UInt32: [UInt32]] {
    var moves: [UInt32: [UInt32]] = [:]
    for descent in descents where descent.kind == .moved { moves[descent.source, default: []].append(descent.target) }
    return moves
  }
}

extension DraftSummary {
  /// Whether objects that a migration has moved may be among those that are touched, or that these refer to.
  func mayTouchMoved(_ schema: StoredSchema) -> Bool {
    let moves = schema.moves
    if moves.isEmpty { return false }
    func isMoved(_ property: StoredProperty) -> Bool { property.role.end.map { moves[$0.target] != nil } ?? false }
    return entities.keys.contains { number in
      moves[number] != nil || schema.entity(number: number)?.properties.contains(where: isMoved) ?? false
    }
  }
}

extension DraftReplay {
  /// All objects that it edits or points a relationship at, also in steps that were undone.
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
  /// The object that the value refers to, of a deletion the value before; `nil` if it is no reference.
  func target(of kind: Change.Kind) -> ObjectAddress? {
    guard case .set(let old, let new) = self else { return nil }
    let value = kind == .deleted ? old : new
    guard value.first == ValueTag.reference.rawValue else { return nil }
    var reader = ByteReader(value)
    reader.offset = 1
    guard let entity = try? reader.number("an entity's number"), let uuid = try? reader.uuid() else { return nil }
    return ObjectAddress(entity: entity, uuid: uuid)
  }
}
