import RepriseLMDB
import RepriseLog
import RepriseObjectModel

// Finds the new entity of an object from the content of the store alone.

extension MappingSlice {
  func mapping(_ work: MigrationState.Work) throws(StoreError) -> EntityMapping {
    guard migration.mappings.indices.contains(work.mapping) else {
      throw .migration(.unfinished(version: migration.version))
    }
    return migration.mappings[work.mapping]
  }

  func fail(_ record: Record, of entity: UInt32, _ work: MigrationState.Work, _ reason: String) -> StoreError {
    .migration(
      .object(
        id(record.uuid, entity), mapping: (try? mapping(work))?.description ?? "", migration: migration.name,
        reason: reason))
  }

  /// Whether a mapping concerns an object.
  mutating func takes(_ work: MigrationState.Work, _ record: Record) throws(StoreError) -> Bool {
    guard let condition = try mapping(work).condition else { return true }
    let object = try mapped(record, of: work.source)
    do { return try condition(object) } catch { throw fail(record, of: work.source, work, "\(error)") }
  }

  /// The move that takes an object. `nil` if it stays.
  mutating func move(_ record: Record, of entity: UInt32) throws(StoreError) -> MigrationState.Work? {
    for work in works where work.kind == .move && work.source == entity {
      if try takes(work, record) { return work }
    }
    return nil
  }

  /// The entity that an object has moved or will move to. `nil` if it stays.
  mutating func destination(
    of uuid: UniqueID, _ entity: UInt32, _ view: borrowing View
  ) throws(StoreError) -> UInt32? {
    // Most references lead to objects that stay.
    guard works.contains(where: { $0.kind == .move && $0.source == entity }) else { return nil }
    if let bytes = try bytes(of: uuid, entity, view) { return try move((uuid, bytes), of: entity)?.target }
    for work in works where work.kind == .move && work.source == entity {
      if try bytes(of: uuid, work.target, view) != nil { return work.target }
    }
    return nil
  }

  /// A reference of a moved object, for a property that leads to `target`. Null if its object moves to another entity.
  mutating func reference(
    _ value: PropertyValue, to target: UInt32, _ view: borrowing View
  ) throws(StoreError) -> PropertyValue {
    guard let id = value.reference, let entity = map.number(id.name) else { return value }
    let destination = try destination(of: id.uuid, entity, view) ?? entity
    return destination == target ? .reference(self.id(id.uuid, target)) : .null
  }
}
