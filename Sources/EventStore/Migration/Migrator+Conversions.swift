import RepriseLMDB
import RepriseLog
import RepriseObjectModel

extension Migrator {
  /// Converts objects that got an old value after the slices had passed them: after a rebuild that accepted a loss, or
  /// after a salvage, objects may be in their earlier state. Reads all objects.
  func convertRest(
    _ running: MigrationState.Running, _ migration: Migration, _ state: MigrationState
  ) throws(StoreError) {
    guard migration.conversions.indices.contains(running.conversion) else {
      throw .migration(.unfinished(version: migration.version))
    }
    let conversion = migration.conversions[running.conversion]
    let schema = try schema()
    guard let entity = schema.entity(number: running.entity), let old = entity.property(number: running.old),
      let new = entity.property(number: running.new)
    else { throw .migration(.unfinished(version: migration.version)) }
    var next: UniqueID? = .zero
    while let first = next {
      var left: UniqueID?
      try forEachRecord(of: entity, from: first) { (uuid, record) throws(MalformedBytes) in
        if try Self.outcome(of: conversion, old, new, in: record, isSecond: true) != .done { left = uuid }
        return left == nil
      }
      guard let left else { return }
      next = try convert(conversion, running, migration, state, from: left, isSecond: true).rest
    }
  }

  private enum Outcome: Equatable {
    case done
    case value(PropertyValue)
    case failure(String)
  }

  /// The outcome of a conversion for an object.
  ///
  /// - Parameter isSecond: Whether the slices have passed the object. If it then has neither value, it may have been
  ///   converted to no value.
  private static func outcome(
    of conversion: AttributeConversion, _ old: StoredProperty, _ new: StoredProperty, in record: RecordReader,
    isSecond: Bool
  ) throws(MalformedBytes) -> Outcome {
    let raw = try record.fields.raw(old.number)
    if raw == nil {
      if try record.fields.raw(new.number) != nil { return .done }
      if isSecond && (new.defaultValue.isNull || new.name.isEmpty) { return .done }
    }
    let former: PropertyValue
    if let raw {
      var reader = ByteReader(raw)
      former = try reader.scalar()
    } else {
      former = old.defaultValue
    }
    switch converted(former, conversion) {
    case .success(let value): return raw == nil && value.isIdentical(to: new.defaultValue) ? .done : .value(value)
    // All values that existed could be converted, so this object is from a program without the attribute.
    case .failure where raw == nil: return .done
    case .failure(let error): return .failure("\(error)")
    }
  }

  struct Slice {
    let state: MigrationState
    let rest: UniqueID?
    let entity: String
    let property: String
    let count: Int
    let total: Int
  }

  private enum SliceFailure: StorageErrorConvertible {
    case storage(StorageError)
    case store(StoreError)
    init(_ error: StorageError) { self = .storage(error) }
  }

  /// Converts the next objects, in one transaction.
  func convert(
    _ conversion: AttributeConversion, _ running: MigrationState.Running, _ migration: Migration,
    _ state: MigrationState, from first: UniqueID, isSecond: Bool = false
  ) throws(StoreError) -> Slice {
    do throws(SliceFailure) {
      return try environment.write(unless: isCancelled) { (transaction) throws(SliceFailure) in
        let schema = try SliceFailure.converting { () throws(StorageError) in try meta.schema(transaction.view) }
        guard let entity = schema.entity(number: running.entity), let old = entity.property(number: running.old),
          let new = entity.property(number: running.new)
        else { throw .store(.migration(.unfinished(version: migration.version))) }
        let map = try convertedMap(entity, new, conversion, schema)
        guard let entityMap = map.map(number: entity.number) else {
          throw .store(.migration(.unfinished(version: migration.version)))
        }
        let name = old.formerNames.last ?? new.name
        let target = Target(entity: entity, property: StoredProperty(old, named: name))
        let (operations, count, rest) = try operations(
          conversion, target, new, entityMap, map, migration, from: first, isSecond: isSecond, transaction.view)
        var next = state
        // In the second reading the state stays at the end.
        if !isSecond { next.advance(by: count, to: rest) }
        let total = try SliceFailure.converting { () throws(StorageError) in
          if conversion.makesBlobs { try bringBlobs(of: old, operations, transaction) }
          var appender = try appender(map, transaction.view)
          let request = SaveRequest(base: appender.head.position, author: nil, name: migration.name, changes: [])
          _ = try appender.append(SavePlan(operations), request, transaction)
          try appender.finish(transaction)
          try meta.put(next, transaction)
          return try meta.count(of: entity.number, transaction.view)
        }
        return Slice(state: next, rest: rest, entity: entity.name, property: name, count: count, total: total)
      }
    } catch {
      switch error {
      case .storage(let error): throw StoreError(error)
      case .store(let error): throw error
      }
    }
  }

  /// Writes the blobs that a slice refers to.
  private func bringBlobs(
    of old: StoredProperty, _ operations: [SavePlan.Operation], _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    let table = try BlobTable(tables, transaction.view)
    for operation in operations {
      guard let (_, blob) = operation.newBlobs.first, let record = operation.record,
        try !table.has(blob, transaction.view)
      else { continue }
      let content = try ObjectTable(tables).parsing(operation.uuid, operation.map) {
        () throws(MalformedBytes) in
        try record.lend { (bytes) throws(MalformedBytes) in
          try Self.value(old, in: RecordReader(bytes)).blobContent
        }
      }
      if let content { try table.bring(blob, content, transaction) }
    }
  }

  /// A map in which the entity has only the new attribute. Other attributes are kept, as in any program without them.
  private func convertedMap(
    _ entity: StoredEntity, _ new: StoredProperty, _ conversion: AttributeConversion, _ schema: StoredSchema
  ) throws(SliceFailure) -> SchemaMap {
    let described = Entity(ConvertedObject.self, name: entity.name, properties: [conversion.new.named(new.name)])
    do throws(SchemaError) {
      return SchemaMap(try ResolvedSchema(Schema(entities: [described])), schema)
    } catch {
      throw .store(.schema(error))
    }
  }

  /// The changes of the next objects, the number of these objects, and the first one after them.
  private func operations(
    _ conversion: AttributeConversion, _ target: Target, _ new: StoredProperty, _ entity: EntityMap, _ map: SchemaMap,
    _ migration: Migration, from first: UniqueID, isSecond: Bool, _ view: View
  ) throws(SliceFailure) -> (operations: [SavePlan.Operation], count: Int, rest: UniqueID?) {
    var operations: [SavePlan.Operation] = []
    operations.reserveCapacity(sliceSize)
    // One array for all operations.
    let cleared = [target.property.number]
    var count = 0
    var bytes = 0
    var rest: UniqueID?
    var failure: MigrationError?
    try SliceFailure.converting { () throws(StorageError) in
      try ObjectTable(tables).scanRecords(target.entity.number, target.entity.name, from: first, view) {
        (uuid, record) throws(MalformedBytes) in
        if count == sliceSize || bytes >= sliceBytes {
          rest = uuid
          return false
        }
        count += 1
        switch try Self.outcome(of: conversion, target.property, new, in: record, isSecond: isSecond) {
        case .done: return true
        case .failure(let reason):
          failure = Self.failure(try Self.value(target.property, in: record), uuid, target, migration, reason)
          return false
        case .value(let value):
          let values = try record.values(entity, map)
          let below = LowerObject(values, record: [UInt8](record.bytes))
          let change = ObjectChange.updated([PropertyChange(slot: 0, old: values[0], new: value)])
          var operation = SavePlan.Operation(map: entity, uuid: uuid, change: change, below: below)
          operation.cleared = cleared
          operations.append(operation)
          bytes += record.bytes.count + value.byteCount
          return true
        }
      }
    }
    if let failure { throw .store(.migration(failure)) }
    return (operations, count, rest)
  }
}

/// Represents the objects of any entity while they are converted.
private final class ConvertedObject: PersistentModel {
  struct Fields: FieldSet {
    typealias Model = ConvertedObject
    init(_ path: FieldPath) {}
  }

  static let entity = Entity(ConvertedObject.self, name: "", properties: [])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
  var snapshot: ConvertedObject.ID { id }
}

extension PropertyValue {
  /// The approximate number of bytes that the value takes in a transaction.
  var byteCount: Int {
    switch self {
    case .string(let text): text.utf8.count
    case .bytes(let bytes): bytes.count
    default: 16
    }
  }
}

extension StoredProperty {
  /// The same property with another name.
  fileprivate init(_ property: StoredProperty, named name: String) {
    self = property
    self.name = name
  }
}
