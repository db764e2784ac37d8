import RepriseLMDB
import RepriseObjectModel
import Synchronization

/// A plan under way: what its caller wants to hear, and whether it is to end.
package final class MigrationRun: Sendable {
  let plan: MigrationPlan
  let progress: (@Sendable (MigrationProgress) -> Void)?
  let isCancelled = Atomic<Bool>(false)

  package init(_ plan: MigrationPlan, progress: (@Sendable (MigrationProgress) -> Void)? = nil) {
    self.plan = plan
    self.progress = progress
  }

  package func cancel() { isCancelled.store(true, ordering: .relaxed) }
}

/// Leads a store through the migrations that it has not had.
///
/// A migration begins with a schema transaction, in which what is converted becomes a retired property, so that earlier
/// events keep their meaning, and a new one has its name. Then its objects are converted in slices: each is a
/// transaction of the log, together with the place where the next one begins. So a kill leaves a store from which the
/// next opening goes on, and others wait for a slice at most. Only the process that has the claim migrates.
struct Migrator {
  let path: String
  let environment: Environment
  let tables: StoreTables
  let logID: UniqueID
  let models: ResolvedSchema
  let run: MigrationRun
  /// How many objects are converted in a transaction, and about how many bytes they have at most.
  var sliceSize = 2_000
  var sliceBytes = 8 << 20

  var plan: MigrationPlan { run.plan }
  private var meta: MetaTable { MetaTable(tables.meta) }

  /// Topics of scenes are texts that programs choose; none begins like this.
  private static let claim = JournalTopic.scene("\u{0}migration")

  init(_ path: String, _ environment: Environment, _ models: ResolvedSchema, _ run: MigrationRun) throws(StoreError) {
    self.path = path
    self.environment = environment
    self.models = models
    self.run = run
    let tables = StoreTables(environment)
    self.tables = tables
    logID = try StoreError.converting { () throws(StorageError) in
      try environment.read { (transaction) throws(StorageError) in
        try MetaTable(tables.meta).logID(transaction.view)
      }
    }
  }

  func schema() throws(StoreError) -> StoredSchema {
    try read { (view) throws(StorageError) in try meta.schema(view) }
  }

  func count(of entity: StoredEntity) throws(StoreError) -> Int {
    try read { (view) throws(StorageError) in try meta.count(of: entity.number, view) }
  }

  func migrate() throws(StoreError) {
    try plan.check()
    let claims = Claims(path: path + "/data.mdb")
    defer { claims.close() }
    let isMine: Bool
    do throws(SystemFailure) {
      isMine = try claims.take(Self.claim)
    } catch {
      throw .system(path: path, operation: "claiming the migration", code: error.errno, message: "\(error)")
    }
    guard isMine else { throw .migration(.inProgress(path: path)) }
    while true {
      let (schema, state) = try read { (view) throws(StorageError) in (try meta.schema(view), try meta.migration(view))
      }
      if let state {
        guard let migration = plan.migrations.first(where: { $0.version == state.version }) else {
          throw .migration(.unfinished(version: Int(state.version)))
        }
        try goOn(migration, state)
      } else if let migration = plan.migrations.first(where: { $0.version > schema.version }) {
        try checkRemovals(of: migration)
        let tried = try read { (view) throws(StorageError) in try LogTable(tables.log).lastPosition(view) }
        for conversion in migration.conversions {
          guard let target = try target(of: conversion, in: migration, schema) else { continue }
          if let failure = try failures(of: conversion, target, in: migration, limit: 1).first {
            throw .migration(failure)
          }
        }
        try begin(migration, of: schema.revision, triedAt: tried)
      } else {
        return
      }
    }
  }

  /// A later version may have something of that name again.
  private func checkRemovals(of migration: Migration) throws(StoreError) {
    guard migration.version == plan.version else { return }
    for removal in migration.removals {
      let model = models.entities.first { $0.isEverNamed(removal.entity) }
      if model?.declares(removal.subject) == true {
        throw .migration(.stillDeclared("\(removal)", migration: migration.name))
      }
    }
  }

  private func read<Result>(_ body: (borrowing View) throws(StorageError) -> Result) throws(StoreError) -> Result {
    try StoreError.converting { () throws(StorageError) in
      try environment.read { (transaction) throws(StorageError) in try body(transaction.view) }
    }
  }

  private func checkCancellation() throws(StoreError) {
    if run.isCancelled.load(ordering: .relaxed) { throw .migration(.cancelled(path: path)) }
  }
}

// MARK: What is converted

extension Migrator {
  struct Target {
    let entity: StoredEntity
    let property: StoredProperty
  }

  /// What a conversion is about in this schema; `nil` if there is nothing, or it has the new type already.
  func target(
    of conversion: AttributeConversion, in migration: Migration, _ schema: StoredSchema
  ) throws(StoreError) -> Target? {
    let match = SchemaMatch(models, schema)
    let known = models.entities.firstIndex { $0.isEverNamed(conversion.entity) }
    guard
      let entity = schema.entity(named: conversion.entity) ?? known.flatMap({ match.stored($0, schema) })
    else { return nil }
    let slot = known.flatMap { models.entities[$0].slot(everNamed: conversion.property) }
    let matched = known.flatMap { known in slot.flatMap { match.property(known, $0) } }
    guard let property = entity.property(named: conversion.property) ?? matched.map({ entity.properties[$0] }) else {
      return nil
    }
    guard case .attribute(let kind, _) = property.role, kind == conversion.old else {
      if case .attribute(let kind, _) = property.role, kind == conversion.new.attribute?.kind { return nil }
      throw .migration(
        .otherKind(
          entity: entity.name, property: property.name, stored: property.role.text, expected: conversion.old.name,
          migration: migration.name))
    }
    return Target(entity: entity, property: property)
  }

  /// The values that cannot be converted, found without writing; the first ones.
  func failures(
    of conversion: AttributeConversion, _ target: Target, in migration: Migration, limit: Int
  ) throws(StoreError) -> [MigrationError] {
    var failures: [MigrationError] = []
    var next: UniqueID? = .zero
    while let first = next {
      try checkCancellation()
      // A read transaction keeps pages from being reused: none is long.
      next = try read { (view) throws(StorageError) in
        var rest: UniqueID?
        var count = 0
        try ObjectTable(tables.objects).scanRecords(target.entity.number, target.entity.name, from: first, view) {
          (uuid, record) throws(MalformedBytes) in
          if count == 50_000 || failures.count >= limit {
            rest = count == 50_000 ? uuid : nil
            return false
          }
          count += 1
          let value = try Self.value(target.property, in: record)
          if case .failure(let error) = Self.converted(value, conversion) {
            failures.append(Self.failure(value, uuid, target, migration, "\(error)"))
          }
          return true
        }
        return rest
      }
    }
    return failures
  }

  fileprivate static func value(
    _ property: StoredProperty, in record: RecordReader
  ) throws(MalformedBytes) -> PropertyValue {
    guard let raw = try record.fields.raw(property.number) else { return property.defaultValue }
    var reader = ByteReader(raw)
    return try reader.scalar()
  }

  fileprivate static func converted(
    _ value: PropertyValue, _ conversion: AttributeConversion
  ) -> Result<PropertyValue, any Error> { Result { try conversion.convert(value) } }

  fileprivate static func failure(
    _ value: PropertyValue, _ uuid: UniqueID, _ target: Target, _ migration: Migration, _ reason: String
  ) -> MigrationError {
    .value(
      value, of: AnyObjectID(EntityName(target.entity.name), uuid), property: target.property.name,
      migration: migration.name, reason: reason)
  }
}

// MARK: Writing

extension Migrator {
  /// The schema transaction of a migration, and the state from which its slices go on. Does nothing if the schema has
  /// changed since the values were tried.
  ///
  /// - Parameter tried: What others saved after this position is tried now: from here on, no one saves what cannot be
  ///   converted.
  private func begin(_ migration: Migration, of revision: UInt32, triedAt tried: Position) throws(StoreError) {
    try environment.write { (transaction) throws(StoreError) in
      var schema = try StoreError.converting { () throws(StorageError) in try meta.schema(transaction.view) }
      guard schema.revision == revision else { return }
      let changed = try StoreError.converting { () throws(StorageError) in
        try objectsChanged(after: tried, transaction.view)
      }
      var state = MigrationState(version: UInt32(migration.version))
      for (place, conversion) in migration.conversions.enumerated() {
        guard let target = try target(of: conversion, in: migration, schema) else { continue }
        for uuid in changed[target.entity.number] ?? [] {
          let failure = try StoreError.converting { () throws(StorageError) in
            try self.failure(of: conversion, target, uuid, in: migration, transaction.view)
          }
          if let failure { throw .migration(failure) }
        }
        let (new, obsolete) = schema.replace(target.property, of: target.entity, by: conversion.new)
        state.obsoleteIndexes += obsolete
        state.running.append(
          .init(conversion: place, entity: target.entity.number, old: target.property.number, new: new))
      }
      for removal in migration.removals { state.obsoleteIndexes += schema.remove(removal, in: models) }
      schema.version = state.version
      schema.oldestVersion = UInt32(plan.oldestVersion)
      schema.revision += 1
      try StoreError.converting { () throws(StorageError) in
        var appender = try appender(SchemaMap(models, StoredSchema()), transaction.view)
        try appender.append(schema, transaction)
        try appender.finish(transaction)
        if !state.running.isEmpty || !state.obsoleteIndexes.isEmpty { try meta.put(state, transaction) }
      }
    }
  }

  private func objectsChanged(
    after position: Position, _ view: View
  ) throws(StorageError) -> [UInt32: Set<UniqueID>] {
    let log = LogTable(tables.log)
    var changed: [UInt32: Set<UniqueID>] = [:]
    var position = position
    while let next = try log.position(after: position, view) {
      try log.forEachEvent(of: next, view) { (event) throws(ReplayError) in
        if event.entity != 0 { changed[event.entity, default: []].insert(event.uuid) }
      }
      position = next
    }
    return changed
  }

  /// Why the value of one object cannot be converted; `nil` if it can, or if there is no such object.
  private func failure(
    of conversion: AttributeConversion, _ target: Target, _ uuid: UniqueID, in migration: Migration, _ view: View
  ) throws(StorageError) -> MigrationError? {
    var failure: MigrationError?
    try ObjectTable(tables.objects).scanRecords(target.entity.number, target.entity.name, from: uuid, view) {
      (found, record) throws(MalformedBytes) in
      guard found == uuid else { return false }
      let value = try Self.value(target.property, in: record)
      if case .failure(let error) = Self.converted(value, conversion) {
        failure = Self.failure(value, uuid, target, migration, "\(error)")
      }
      return false
    }
    return failure
  }

  private func appender(_ map: SchemaMap, _ view: View) throws(StorageError) -> TransactionAppender {
    try TransactionAppender(tables, logID: logID, map: map, view)
  }

  private func goOn(_ migration: Migration, _ state: MigrationState) throws(StoreError) {
    var state = state
    while state.current < state.running.count {
      try checkCancellation()
      let running = state.running[state.current]
      guard migration.conversions.indices.contains(running.conversion) else {
        throw .migration(.unfinished(version: migration.version))
      }
      let slice = try convert(migration.conversions[running.conversion], running, migration, state, from: state.next)
      run.progress?(
        MigrationProgress(
          migration: migration.name, version: migration.version, entity: slice.entity, property: slice.property,
          done: min(state.done + slice.count, slice.total), total: slice.total))
      state = slice.state
    }
    for running in state.running { try convertRest(running, migration, state) }
    for index in state.obsoleteIndexes {
      var isEmpty = false
      while !isEmpty {
        try checkCancellation()
        isEmpty = try StoreError.converting { () throws(StorageError) in
          try environment.write { (transaction) throws(StorageError) in
            try IndexBuilder(tables: tables).removeSome(of: index, transaction)
          }
        }
      }
    }
    try StoreError.converting { () throws(StorageError) in
      try environment.write { (transaction) throws(StorageError) in try meta.removeMigration(transaction) }
    }
  }

  /// Converts what got an old value behind the slices: after a rebuilding that accepted a loss, or a salvage, objects
  /// may be as they were before. Costs a reading of all.
  private func convertRest(
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
      try checkCancellation()
      var left: UniqueID?
      next = try read { (view) throws(StorageError) in
        var rest: UniqueID?
        var count = 0
        try ObjectTable(tables.objects).scanRecords(entity.number, entity.name, from: first, view) {
          (uuid, record) throws(MalformedBytes) in
          if count == 50_000 {
            rest = uuid
            return false
          }
          count += 1
          if try Self.outcome(of: conversion, old, new, in: record, isSecond: true) != .done { left = uuid }
          return left == nil
        }
        return rest
      }
      if let left { next = try convert(conversion, running, migration, state, from: left, isSecond: true).rest }
    }
  }

  private enum Outcome: Equatable {
    case done
    case value(PropertyValue)
    case failure(String)
  }

  /// What becomes of an object.
  ///
  /// - Parameter isSecond: Whether the slices have passed it. If it has neither value then, it may have been converted
  ///   to none.
  private static func outcome(
    of conversion: AttributeConversion, _ old: StoredProperty, _ new: StoredProperty, in record: RecordReader,
    isSecond: Bool
  ) throws(MalformedBytes) -> Outcome {
    let raw = try record.fields.raw(old.number)
    if raw == nil {
      if try record.fields.raw(new.number) != nil { return .done }
      if isSecond && (new.defaultValue.isNull || new.name.isEmpty) { return .done }
    }
    switch converted(try value(old, in: record), conversion) {
    case .success(let value): return raw == nil && value.isIdentical(to: new.defaultValue) ? .done : .value(value)
    // All that there was could be converted: it is of a program that lacks the attribute.
    case .failure where raw == nil: return .done
    case .failure(let error): return .failure("\(error)")
    }
  }

  private struct Slice {
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
  private func convert(
    _ conversion: AttributeConversion, _ running: MigrationState.Running, _ migration: Migration,
    _ state: MigrationState, from first: UniqueID, isSecond: Bool = false
  ) throws(StoreError) -> Slice {
    do throws(SliceFailure) {
      return try environment.write { (transaction) throws(SliceFailure) in
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
        if isSecond {
          // The state is that of the end.
        } else if let rest {
          next.next = rest
          next.done += count
        } else {
          next.current += 1
          (next.next, next.done) = (.zero, 0)
        }
        let total = try SliceFailure.converting { () throws(StorageError) in
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

  /// A map in which the entity has the new attribute alone. What else it has is kept, as by any program that lacks it.
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

  /// The changes of the next objects, how many objects those are, and the first one behind them.
  private func operations(
    _ conversion: AttributeConversion, _ target: Target, _ new: StoredProperty, _ entity: EntityMap, _ map: SchemaMap,
    _ migration: Migration, from first: UniqueID, isSecond: Bool, _ view: View
  ) throws(SliceFailure) -> (operations: [SavePlan.Operation], count: Int, rest: UniqueID?) {
    var operations: [SavePlan.Operation] = []
    var count = 0
    var bytes = 0
    var rest: UniqueID?
    var failure: MigrationError?
    try SliceFailure.converting { () throws(StorageError) in
      try ObjectTable(tables.objects).scanRecords(target.entity.number, target.entity.name, from: first, view) {
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
          operation.cleared = [target.property.number]
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

/// Stands for the objects of any entity while they are converted.
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
  /// About how many bytes of a transaction it takes.
  fileprivate var byteCount: Int {
    switch self {
    case .string(let text): text.utf8.count
    case .bytes(let bytes): bytes.count
    default: 16
    }
  }
}

extension StoredProperty {
  /// The same under another name.
  fileprivate init(_ property: StoredProperty, named name: String) {
    self = property
    self.name = name
  }
}

extension StoredSchema {
  /// Retires an attribute, and the indexes that are over it, and gives its name to a new one. Returns the number of
  /// that one, and the indexes that nobody has any more.
  fileprivate mutating func replace(
    _ property: StoredProperty, of entity: StoredEntity, by new: Property
  ) -> (number: UInt32, obsoleteIndexes: [UInt32]) {
    let number = (entities.flatMap(\.properties).map(\.number).max() ?? 0) + 1
    guard let place = entities.firstIndex(where: { $0.number == entity.number }), let attribute = new.attribute else {
      return (number, [])
    }
    var obsolete: [UInt32] = []
    for other in entities[place].properties.indices {
      let isOver: Bool =
        switch entities[place].properties[other].role {
        case .columns(let columns, _): columns.contains { $0.property == property.number }
        case .words(let attribute, _): attribute == property.number
        case .attribute, .toOne, .toMany: entities[place].properties[other].number == property.number
        }
      if !isOver { continue }
      if let index = entities[place].properties[other].index { obsolete.append(index) }
      entities[place].properties[other].index = nil
      entities[place].properties[other].rename(to: "")
    }
    entities[place].properties.append(
      StoredProperty(
        number: number, name: property.name, role: .attribute(attribute.kind, isOptional: attribute.isOptional),
        defaultValue: attribute.defaultValue))
    return (number, obsolete)
  }
}
