import RepriseJournal
import RepriseLMDB
import RepriseLog
import RepriseObjectModel
import RepriseSystem

/// Writes the transactions of one commit: frames, records, indexes and counts.
///
/// An appender lives within one LMDB write transaction, and tracks the head as that transaction will leave it.
struct TransactionAppender {
  private(set) var map: SchemaMap
  private(set) var head: LogHead
  let tables: StoreTables
  private let objects: ObjectTable
  private let logID: UniqueID
  private var names: NameTable
  var changes = CommitChanges()
  /// The entities whose objects changed in this commit, if this program may not compute all their derived attributes.
  private var underived: [UInt32: EntityMap] = [:]
  private var group = GroupRows()
  private var salts = SaltSource()
  /// The fields of the last new object.
  private var scratch = ByteWriter()
  /// The records of new objects that the save has not written yet. Empty between saves.
  private var newRecords = NewRecords()
  private var collectsRecords = false
  private let keyframes: KeyframeSpacing
  private let clock: @Sendable () -> Int64
  /// The log time of the transaction that was begun.
  private var time: Int64 = 0
  /// The end of the log before this commit.
  private let first: Position

  /// - Parameters:
  ///   - known: The head of the log, if known. Otherwise it is read from the log, at the cost of the last frame.
  ///   - isRehearsal: Whether the transactions go to a shared log first, and the LMDB transaction is aborted.
  init(
    _ tables: StoreTables, logID: UniqueID, map: SchemaMap, head known: LogHead? = nil, isRehearsal: Bool = false,
    keyframes: KeyframeSpacing = KeyframeSpacing(), clock: @escaping @Sendable () -> Int64 = WallClock.microseconds,
    _ view: View
  ) throws(StorageError) {
    self.tables = tables
    self.clock = clock
    objects = ObjectTable(tables)
    self.keyframes = keyframes
    self.logID = logID
    let meta = MetaTable(tables.meta)
    if let stored = try meta.schema(otherThan: map.revision, view) {
      // A store that begins to share its log gets a new revision of the schema.
      if !isRehearsal { try meta.requireUnshared(view) }
      self.map = SchemaMap(map.schema, stored)
    } else {
      self.map = map
    }
    if let found = self.map.newerWords {
      // This program would leave out rows for newer words, and write rows for older ones.
      throw .newerFormat(
        found: found, supported: SearchWords.version, StorageError.Site(.decode, tables.meta.path))
    }
    if let known {
      head = known
    } else {
      let log = LogTable(tables.log)
      head = try log.head(view)
      head.greatestID = try meta.requireEnd(head, of: log, view).greatestID
      UniqueID.note(head.greatestID)
    }
    first = head.position
    names = try NameTable(meta, view)
  }

  // MARK: Transactions

  /// Appends an accepted save. Returns its transaction. `nil` if there is nothing to write.
  mutating func append(
    _ plan: SavePlan, _ request: SaveRequest, _ transaction: borrowing WriteTransaction
  ) throws(StorageError) -> VersionWindow.Transaction? {
    guard !plan.operations.isEmpty else { return nil }
    let position = head.position + 1
    var envelope = envelope(request.id, base: request.base)
    if let date = request.wallTime { envelope.wallTime = date }
    envelope.author = try names.reference(request.author, in: &envelope, transaction.view)
    envelope.contextName = try names.reference(request.contextName, in: &envelope, transaction.view)
    envelope.name = try names.reference(request.name, in: &envelope, transaction.view)
    envelope.metadata = request.metadata
    if let reversal = request.parts.first?.reversal, reversal.undoes < position {
      envelope.undoes = reversal.undoes
      envelope.supersedes = reversal.supersedes
    }
    var frame = FrameEncoder(envelope, position: position, salts: salts, expecting: plan.operations.count)
    var places: [VersionWindow.Transaction.Place] = []
    places.reserveCapacity(plan.operations.count)
    collectsRecords = plan.operations.count >= 8
    for place in plan.operations.indices {
      let count = frame.eventCount
      try append(plan.operations[place], &frame, transaction)
      if newRecords.isFull { try writeNewRecords(transaction) }
      if frame.eventCount > count { places.append((plan.operations[place].id, frame.lastBody)) }
      // Checked before the rest takes memory: the log would refuse the frame.
      if frame.eventsByteCount > ChunkedRows.maximumSize {
        throw .badValueSize(StorageError.Site(.append, tables.log.path))
      }
    }
    try writeNewRecords(transaction)
    let (bytes, start) = try finish(frame, envelope, transaction)
    return VersionWindow.Transaction(position: position, frame: bytes, events: start, places)
  }

  private mutating func writeNewRecords(_ transaction: borrowing WriteTransaction) throws(StorageError) {
    try newRecords.write(into: objects, transaction)
    newRecords.removeAll()
  }

  /// Appends a schema transaction and makes its schema the store's.
  mutating func append(
    _ schema: StoredSchema, _ transaction: borrowing WriteTransaction, replica: UniqueID? = nil
  ) throws(StorageError) {
    var envelope = envelope(UniqueID(), base: head.position)
    envelope.schemaRevision = schema.revision
    envelope.replica.new = replica
    var frame = FrameEncoder(envelope, position: head.position + 1, salts: salts)
    for change in map.stored.changes(to: schema) { frame.schema(change) }
    _ = try finish(frame, envelope, transaction)
    try MetaTable(tables.meta).put(schema, transaction)
    map = SchemaMap(map.schema, schema)
  }

  private mutating func envelope(_ id: UniqueID, base: Position) -> FrameEnvelope {
    time = head.nextTime(clock())
    return FrameEnvelope(
      transactionID: id, replica: ReplicaReference(number: 0), base: base, wallTime: time, schemaRevision: map.revision)
  }

  private mutating func finish(
    _ frame: consuming FrameEncoder, _ envelope: FrameEnvelope, _ transaction: borrowing WriteTransaction
  ) throws(StorageError) -> (bytes: [UInt8], events: Int) {
    let position = head.position + 1
    let (bytes, hash, events) = frame.finish(logID: logID, previousHash: head.hash, logTime: time)
    salts = SaltSource()
    try LogTable(tables.log).append(bytes, at: position, transaction)
    try names.write(envelope, transaction)
    if time <= head.time {
      try MetaTable(tables.meta)
        .put(ClockStep(position: position, before: head.time, time: time), transaction)
    }
    let greatestID = UniqueID.later(head.greatestID, envelope.transactionID)
    head = LogHead(position: position, hash: hash, time: time, greatestID: greatestID)
    return (bytes, events)
  }

  // MARK: Operations

  private mutating func append(
    _ operation: SavePlan.Operation, _ frame: inout FrameEncoder, _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    let entity = operation.map
    for (_, blob) in operation.newBlobs {
      try BlobTable(tables, transaction.view).keep(blob.digest, transaction)
    }
    if entity.mayLackDerivations { underived[entity.number] = entity }
    switch operation.change {
    case .inserted(let values):
      try insert(operation, values, &frame, transaction)
      changes.count(1, of: entity.number)
      try index(operation, from: nil, to: values, transaction)
    case .updated(let changes):
      guard let bytes = operation.record, let old = operation.values else { return }
      let position = head.position + 1
      let record = try decoding(operation) { () throws(MalformedBytes) in
        try Self.withRecord(bytes) { (record) throws(MalformedBytes) -> [UInt8]? in
          guard let record else { return nil }
          let update = try RecordUpdate(record, changes, clearing: operation.cleared, entity, map)
          guard frame.updated(operation.uuid, update, entity) else { return nil }
          let next = try update.record(at: position)
          frame.keyframe(next, ofVersion: record.version + 1, keyframes)
          return next
        }
      }
      guard let record else { return }
      try objects.put(record, ObjectKey(entity: entity.number, uuid: operation.uuid), replacing: bytes, transaction)
      try index(operation, from: old, to: operation.change.applied(to: old), transaction)
    case .deleted:
      guard let bytes = operation.record, let old = operation.values else { return }
      try delete(operation, bytes, &frame, transaction)
      changes.count(-1, of: entity.number)
      try index(operation, from: old, to: nil, transaction)
    }
  }

  private mutating func insert(
    _ operation: SavePlan.Operation, _ values: ContiguousArray<PropertyValue>, _ frame: inout FrameEncoder,
    _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    let entity = operation.map
    let position = head.position + 1
    scratch.bytes.removeAll(keepingCapacity: true)
    scratch.fields(values, entity, map)
    let fields = scratch.bytes
    let isCollected = collectsRecords && operation.tombstone == nil && NewRecords.takes(fields)
    let record = try decoding(operation) { () throws(MalformedBytes) in
      try Self.withRecord(operation.tombstone) { (tombstone) throws(MalformedBytes) -> [UInt8]? in
        try fields.lend { (fields) throws(MalformedBytes) in
          frame.inserted(operation.uuid, RecordFields(fields), over: tombstone, entity: entity.number)
          return try isCollected ? nil : RecordWriter.inserted(RecordFields(fields), over: tombstone, at: position)
        }
      }
    }
    if let tombstone = operation.tombstone {
      try objects.delete(ObjectKey(tombstoneOf: entity.number, uuid: operation.uuid), tombstone, transaction)
    }
    let key = ObjectKey(entity: entity.number, uuid: operation.uuid)
    if let record {
      try objects.put(record, key, replacing: nil, transaction)
    } else {
      newRecords.add(fields, key, at: position)
    }
    head.greatestID = UniqueID.later(head.greatestID, operation.uuid)
  }

  private func delete(
    _ operation: SavePlan.Operation, _ bytes: [UInt8], _ frame: inout FrameEncoder,
    _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    let entity = operation.map.number
    let position = head.position + 1
    let tombstone = try decoding(operation) { () throws(MalformedBytes) in
      try Self.withRecord(bytes) { (record) throws(MalformedBytes) -> [UInt8]? in
        guard let record else { return nil }
        frame.deleted(operation.uuid, record, entity: entity)
        return try RecordWriter.deleted(record, at: position)
      }
    }
    try objects.delete(ObjectKey(entity: entity, uuid: operation.uuid), bytes, transaction)
    if let tombstone {
      try objects.put(tombstone, ObjectKey(tombstoneOf: entity, uuid: operation.uuid), replacing: nil, transaction)
    }
  }

  func decoding<Result>(
    _ operation: SavePlan.Operation, _ body: () throws(MalformedBytes) -> Result
  ) throws(StorageError) -> Result {
    do throws(MalformedBytes) {
      return try body()
    } catch {
      throw objects.damaged(operation.uuid, operation.map, error)
    }
  }
}

// MARK: Rows

extension TransactionAppender {
  /// Lends a parsed record. `nil` if there is none.
  static func withRecord<Result>(
    _ bytes: [UInt8]?, _ body: (RecordReader?) throws(MalformedBytes) -> Result
  ) throws(MalformedBytes) -> Result {
    guard let bytes else { return try body(nil) }
    return try bytes.lend { (bytes) throws(MalformedBytes) in try body(try RecordReader(bytes)) }
  }

  /// The pending rows of unique indexes, for the saves so far.
  mutating func groupRows() -> GroupRows {
    if !changes.indexes.isEmpty { group.follow(changes.indexes, map.uniqueIndexes) }
    return group
  }

  /// Marks the derived attributes of changed objects that this program lacks, or has in another version. The next
  /// opening computes them.
  private mutating func forgetDerivations(_ transaction: borrowing WriteTransaction) throws(StorageError) {
    if underived.isEmpty { return }
    let meta = MetaTable(tables.meta)
    for (property, version) in try meta.derivations(transaction.view) where version != nil {
      for (number, entity) in underived where entity.derivation(of: property) != version {
        guard map.stored.entity(number: number)?.property(number: property) != nil else { continue }
        try meta.put(derivation: nil, of: property, transaction)
      }
    }
    underived = [:]
  }

  /// Writes the index changes, counts and head of all saves of the commit.
  mutating func finish(_ transaction: borrowing WriteTransaction) throws(StorageError) {
    try changes.write(tables, transaction)
    try forgetDerivations(transaction)
    if head.position == first { return }
    UniqueID.note(head.greatestID)
    try MetaTable(tables.meta).put(head, transaction)
  }
}
