import RepriseLMDB
import RepriseLog
import RepriseObjectModel
import RepriseSystem

/// Computes the derived attributes of an entity for all objects, and stores the values that differ.
///
/// The fill reads objects in short reading transactions, and writes the values in short commits of the log. Other
/// processes and contexts may save in between, with any models. The fill reads their saves from the log. Its last
/// commit handles the latest of these saves, and records the versions of the derived attributes. After a kill, the next
/// process begins again, and fewer stored values differ.
final class DerivationFill {
  private let outdated: OutdatedDerivation
  private let models: ResolvedSchema
  private let path: String
  private let environment: Environment
  private let tables: StoreTables
  private let logID: UniqueID
  private let sharing: (any SharedAppending)?
  private let options: IndexingOptions
  private let run: OpeningRun
  private let clock = WakeUp()
  private var map: SchemaMap
  /// The position up to which other saves are known.
  private var position = Position(0)
  /// The transactions after that position that this fill made.
  private var own: Set<Position> = []
  /// The most objects in a commit. It adapts to the time that other writers may wait.
  private var limit: Int

  init(
    _ outdated: OutdatedDerivation, _ models: ResolvedSchema, _ path: String, _ environment: Environment,
    _ tables: StoreTables, logID: UniqueID, sharing: (any SharedAppending)? = nil, _ options: IndexingOptions,
    _ run: OpeningRun
  ) {
    self.outdated = outdated
    self.models = models
    self.path = path
    self.environment = environment
    self.tables = tables
    self.logID = logID
    self.sharing = sharing
    self.options = options
    self.run = run
    map = SchemaMap(models, StoredSchema())
    limit = options.rows
  }

  func finish() throws(StoreError) {
    repeat {
      own = []
      position = try read { (view) throws(StorageError) in try LogTable(tables.log).lastPosition(view) }
      try fill()
    } while try !settle()
  }

  // MARK: All objects

  private struct Batch {
    /// The objects whose stored values differ from the computed ones.
    var objects: [UniqueID] = []
    var count = 0
    /// The first object after this part. `nil` if there is none.
    var rest: UniqueID?
    var total = 0
  }

  private func fill() throws(StoreError) {
    var next: UniqueID? = .zero
    var done = 0
    while let first = next {
      options.onStep?()
      try run.checkCancellation(path)
      let batch = try batch(from: first)
      try write(batch.objects)
      done += batch.count
      next = batch.rest
      run.progress?(
        MigrationProgress(
          .derivation, entity: outdated.entity.name, property: outdated.names, done: min(done, batch.total),
          total: batch.total))
    }
  }

  private func batch(from first: UniqueID) throws(StoreError) -> Batch {
    try read { (view) throws(StorageError) in
      guard let entity = try entity(view) else { return Batch() }
      var batch = Batch()
      batch.total = try MetaTable(tables.meta).count(of: entity.number, view)
      // The time is limited, because a read transaction keeps pages from being reused.
      let end = WakeUp.now() + 10 * options.nanoseconds
      try ObjectTable(tables).scanRecords(entity.number, entity.entity.name, from: first, view) {
        (uuid, record) throws(MalformedBytes) in
        if batch.count == options.objectsRead || batch.count > 0 && WakeUp.now() > end {
          batch.rest = uuid
          return false
        }
        batch.count += 1
        if change(of: uuid, try record.values(entity, map), entity) != nil { batch.objects.append(uuid) }
        return true
      }
      return batch
    }
  }

  // MARK: Saves of other contexts

  /// Handles the saves of other contexts after ``position``. False if the log no longer has all of them.
  private func settle() throws(StoreError) -> Bool {
    var isSettled = false
    while !isSettled {
      try run.checkCancellation(path)
      let (changes, head) = try read { (view) throws(StorageError) -> ([UniqueID]?, Position) in
        (try changed(view), try LogTable(tables.log).lastPosition(view))
      }
      guard let changes else { return false }
      try write(changes)
      (position, own) = (head, [])
      try checkUniqueness()
      isSettled = try record()
    }
    return true
  }

  /// The objects that other contexts changed, ascending. `nil` if the log no longer has the changes.
  private func changed(_ view: View) throws(StorageError) -> [UniqueID]? {
    let log = LogTable(tables.log)
    if let first = try log.firstPosition(view), first > position + 1 { return nil }
    guard let entity = try entity(view) else { return [] }
    return try log.objectsChanged(after: position, except: own, view)[entity.number, default: []].sorted()
  }

  /// The unique indexes over the computed attributes.
  private func uniqueIndexes(_ view: View) throws(StorageError) -> [DuplicateSearch] {
    guard let entity = try entity(view), let stored = map.stored.entity(number: entity.number) else { return [] }
    let numbers = Set(entity.entity.derivedSlots.map { entity.numbers[$0] })
    return stored.properties.compactMap { property in
      guard case .columns(let columns, _) = property.role,
        columns.contains(where: { numbers.contains($0.property) })
      else { return nil }
      return DuplicateSearch(property, of: stored, tables)
    }
  }

  private func checkUniqueness() throws(StoreError) {
    let violations = try read { (view) throws(StorageError) in
      var violations: [RuleViolation] = []
      for search in try uniqueIndexes(view) { violations += try search.violations(limit: 10, view) }
      return violations
    }
    if !violations.isEmpty { throw .violations(violations) }
  }

  /// Records the versions of the derived attributes, unless other contexts saved more than ``limit`` objects in the
  /// meantime.
  private func record() throws(StoreError) -> Bool {
    try write { (transaction) throws(StoreError) in
      let changes = try StoreError.converting { () throws(StorageError) in try changed(transaction.view) }
      guard let changes, changes.count <= limit else { return false }
      _ = try StoreError.converting { () throws(StorageError) in try append(changes, transaction) }
      let violation = try StoreError.converting { () throws(StorageError) -> RuleViolation? in
        for search in try uniqueIndexes(transaction.view) {
          for uuid in changes { if let found = try search.violation(of: uuid, transaction.view) { return found } }
        }
        return nil
      }
      if let violation { throw .violations([violation]) }
      try StoreError.converting { () throws(StorageError) in
        guard let entity = try entity(transaction.view) else { return }
        try MetaTable(tables.meta).putDerivations(of: entity, transaction)
      }
      return true
    }
  }

  // MARK: Writing

  private func write(_ objects: [UniqueID]) throws(StoreError) {
    var rest = objects[...]
    while !rest.isEmpty {
      try run.checkCancellation(path)
      let slice = Array(rest.prefix(limit))
      rest = rest.dropFirst(limit)
      var begun = WakeUp.now()
      let position = try write { (transaction) throws(StoreError) in
        begun = WakeUp.now()
        return try StoreError.converting { () throws(StorageError) in try append(slice, transaction) }
      }
      if let position { own.insert(position) }
      let held = WakeUp.now() - begun
      if held > options.nanoseconds {
        limit = max(min(64, options.rows), limit / 2)
      } else if held < options.nanoseconds / 2 {
        limit = min(max(options.mostRows, options.rows), limit * 2)
      }
      // Other writers have at least half of the time.
      if !rest.isEmpty { clock.wait(until: WakeUp.now() + options.pause(after: held)) }
    }
  }

  private func write<Result>(
    _ body: (borrowing WriteTransaction) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    guard let sharing else { return try environment.write(unless: { _ in run.isCancelled }, body) }
    return try sharing.write(environment, tables, by: models, unless: { _ in run.isCancelled }, body)
  }

  /// Appends a transaction with the computed values of these objects, which are ascending. `nil` if no stored value
  /// differs.
  private func append(
    _ objects: [UniqueID], _ transaction: borrowing WriteTransaction
  ) throws(StorageError) -> Position? {
    guard let entity = try entity(transaction.view) else { return nil }
    let table = ObjectTable(tables)
    var operations: [SavePlan.Operation] = []
    for uuid in objects {
      guard let record = try table.bytes(of: uuid, entity, transaction.view) else { continue }
      let values = try table.decode(record, AnyObjectID(entity.entity.interned, uuid), entity, map)
      guard let change = change(of: uuid, values, entity) else { continue }
      operations.append(
        SavePlan.Operation(map: entity, uuid: uuid, change: change, below: LowerObject(values, record: record)))
    }
    if operations.isEmpty { return nil }
    if sharing == nil { try MetaTable(tables.meta).requireUnshared(transaction.view) }
    try MetaTable(tables.meta).noteDerivations(of: entity, transaction)
    var appender = try TransactionAppender(
      tables, logID: logID, map: map, isRehearsal: sharing != nil, transaction.view)
    let request = SaveRequest(
      base: appender.head.position, name: "\(entity.entity.name): \(outdated.names)", changes: [])
    _ = try appender.append(SavePlan(operations), request, transaction)
    try appender.finish(transaction)
    return appender.head.position
  }

  private func change(
    of uuid: UniqueID, _ stored: ContiguousArray<PropertyValue>, _ entity: EntityMap
  ) -> ObjectChange? {
    var values = stored
    entity.entity.derive(&values, of: uuid)
    return ObjectChange.updated(from: stored, to: values)
  }

  /// The entity in the store. `nil` if the store lacks some of its properties now.
  private func entity(_ view: View) throws(StorageError) -> EntityMap? {
    let schema = try MetaTable(tables.meta).schema(view)
    if schema.revision != map.revision || map.stored.entities.isEmpty { map = SchemaMap(models, schema) }
    return map.map(outdated.entity.interned)
  }

  private func read<Result>(_ body: (borrowing View) throws(StorageError) -> Result) throws(StoreError) -> Result {
    try StoreError.converting { () throws(StorageError) in
      try environment.read { (transaction) throws(StorageError) in try body(transaction.view) }
    }
  }
}
