import RepriseLMDB
import RepriseLog
import RepriseObjectModel
import RepriseSystem

/// Continues a log that ends at a gap with transactions, marked as salvaged, that bring objects to their known state
/// after the gap.
///
/// That state comes from the latest records, and from intact transactions after the gap, as far as their events apply.
struct LogContinuation {
  static let author = "StoreMaintenance.salvage"
  /// A transaction that exceeds this size is written, well before it reaches the maximum.
  private static let byteLimit = 8 << 20

  private let tables: StoreTables
  private let logID: UniqueID
  private let gap: ClosedRange<Position>
  private let log: FoundLog
  private let behind: [FoundLog.Place]
  private let sliceSize: Int
  private let end: Position
  /// The objects up to the gap, if the log alone cannot make them.
  private let kept: KeptObjects?
  private var head: LogHead
  private var schema: StoredSchema
  /// Whether no change of the schema is known to be missing.
  private var isSchemaWhole = true
  private var names = SchemaNumbers(StoredSchema())
  private(set) var restored = 0
  private(set) var problems: [StoreFinding] = []

  /// - Parameters:
  ///   - behind: The places in `log` of intact transactions after the gap, in order.
  ///   - schema: The schema according to the log up to the gap.
  ///   - kept: The objects up to the gap, if the log alone cannot make them.
  init(
    _ tables: StoreTables, logID: UniqueID, gap: ClosedRange<Position>, log: FoundLog,
    behind: [FoundLog.Place], head: LogHead, schema: StoredSchema, kept: KeptObjects?, sliceSize: Int
  ) {
    self.tables = tables
    self.logID = logID
    self.gap = gap
    self.log = log
    self.behind = behind
    self.head = head
    self.schema = schema
    self.kept = kept
    self.sliceSize = sliceSize
    end = head.position
  }

  // MARK: Schema

  /// Adds the schema changes after the gap; in an empty log, also its first replica.
  mutating func add(
    _ facts: FoundFacts, _ file: borrowing DataFile, _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    var next = facts.schema.flatMap { $0.revision > schema.revision ? $0 : nil } ?? schema
    // If the history of a schema is lost, its version is at least the version in the log.
    if next.version < schema.version { (next.version, next.oldestVersion) = (schema.version, schema.oldestVersion) }
    for place in behind {
      guard let frame = try frame(place, file) else { continue }
      guard let changed = Self.schema(after: frame, next) else {
        isSchemaWhole = false
        continue
      }
      next = changed
    }
    // Otherwise the last transactions may have changed it.
    if !facts.hasSchema, gap.upperBound > end, behind.last?.position != gap.upperBound { isSchemaWhole = false }
    names = SchemaNumbers(next)
    try declare(next, replica: head.position == 0 ? facts.replica ?? UniqueID() : nil, transaction)
  }

  private mutating func declare(
    _ next: StoredSchema, replica: UniqueID?, _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    guard next.revision > schema.revision, !next.entities.isEmpty else { return }
    var envelope = envelope(revision: next.revision)
    envelope.replica.new = replica
    var frame = FrameEncoder(envelope, position: head.position + 1)
    for change in schema.changes(to: next) { frame.schema(change) }
    try append(frame, transaction)
    schema = next
  }

  private func frame(_ place: FoundLog.Place, _ file: borrowing DataFile) throws(StorageError) -> FoundLog.Frame? {
    try log.frames(at: place.position, in: file).first { $0.hash == place.hash }
  }

  /// The schema after a transaction. `nil` if changes between the two are missing.
  private static func schema(after frame: FoundLog.Frame, _ schema: StoredSchema) -> StoredSchema? {
    try? frame.bytes.lend { (bytes) throws(MalformedBytes) in
      let frame = try LogFrame(bytes)
      let revision = frame.envelope.schemaRevision
      guard revision > schema.revision else { return schema }
      var next = schema
      next.revision = revision
      var events = frame.events
      var isChanged = false
      while let event = try events.next() {
        guard let change = try event.schemaChange() else { continue }
        try next.apply(change)
        isChanged = true
      }
      return isChanged && revision == schema.revision + 1 ? next : nil
    }
  }

  /// Reports the content that the new store lacks because schema changes are lost. Reserves the numbers of the lost
  /// entities and properties: in drafts they still have their old meaning, so no new one may get them.
  mutating func closeSchema(_ transaction: borrowing WriteTransaction) throws(StorageError) {
    let isMissed = names.unnamedObjects > 0 || names.unnamedValues > 0
    // Without any name nothing can be read, and there is no store.
    if isSchemaWhole && !isMissed || schema.entities.isEmpty { return }
    problems.append(
      isMissed ? .lostSchema(objects: names.unnamedObjects, values: names.unnamedValues) : .lostSchemaChanges)
    var next = schema
    next.revision += 1
    next.reserve(entity: names.greatestEntity, property: names.greatestProperty)
    try declare(next, replica: nil, transaction)
  }

  // MARK: Objects

  /// Adds transactions that bring the objects to their known state.
  mutating func add(
    _ records: FoundRecords, _ file: borrowing DataFile, _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    var rest = ObjectFold.all
    repeat {
      var fold = ObjectFold(rest, size: sliceSize, expecting: sliceSize)
      try read(&fold, transaction.view)
      var before: [ObjectAddress: [UInt8]?] = [:]
      var lost: [StoreFinding] = []
      try records.forEach(in: fold.slice, of: file) { (address, stored) throws(StorageError) in
        let known = fold.record(of: address)
        // The log up to the gap may lead further than an older record.
        if let known, Self.position(of: known) >= FoundRecords.position(of: stored) ?? 0 { return }
        let found = try records.longValues.whole(stored, address.uuid, before: known, of: file)
        lost += found.lost.map { .lostValue(object: address.uuid, property: $0) }
        guard let record = found.record else { return }
        before.updateValue(known, forKey: address)
        fold.set(record, of: address)
      }
      for problem in lost where problems.count < 100 { problems.append(problem) }
      for place in behind {
        if let frame = try frame(place, file) { replay(frame, into: &fold, &before) }
      }
      try write(fold, before, transaction)
      rest = fold.rest
    } while !rest.isEmpty
    // A log has at least one transaction.
    if let kept, kept.first > head.position { try append(encoder(), transaction) }
  }

  private func read(_ fold: inout ObjectFold, _ view: View) throws(StorageError) {
    if let kept { return try kept.read(&fold, view) }
    let log = LogTable(tables.log)
    for position in stride(from: Position(1), through: end, by: 1) {
      try log.forEachEvent(of: position, view) { (event) throws(ReplayError) in try fold.add(event, at: position) }
    }
  }

  /// Applies an intact transaction after the gap to objects whose state before it is known.
  private mutating func replay(
    _ frame: FoundLog.Frame, into fold: inout ObjectFold, _ before: inout [ObjectAddress: [UInt8]?]
  ) {
    var found: [StoreFinding] = []
    _ = try? frame.bytes.lend { (bytes) throws(MalformedBytes) in
      let frame = try LogFrame(bytes)
      var events = frame.events
      while let event = try events.next() {
        guard let address = event.change?.object, fold.slice.contains(address) else { continue }
        let present = fold.record(of: address)
        // The record includes the event already.
        if let present, Self.position(of: present) >= frame.position { continue }
        do throws(ReplayError) {
          try fold.add(event, at: frame.position)
          if before[address] == nil { before.updateValue(present, forKey: address) }
        } catch {
          found.append(.lostChange(frame.position, object: address.uuid))
        }
      }
    }
    for problem in found where problems.count < 100 { problems.append(problem) }
  }

  static func position(of record: [UInt8]) -> Position {
    (try? record.lend { (bytes) throws(MalformedBytes) in try RecordReader(bytes).position }) ?? 0
  }

  // MARK: Writing

  private mutating func write(
    _ fold: ObjectFold, _ before: [ObjectAddress: [UInt8]?], _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    var frame = encoder()
    for (address, old) in before.sorted(by: { $0.key < $1.key }) {
      guard let new = fold.record(of: address) else { continue }
      let key = ObjectKey(entity: address.entity, uuid: address.uuid)
      let isChanged = try tables.objects.parsing(key.bytes, "the stored object \(address.uuid)") {
        () throws(MalformedBytes) in
        guard let new = try names.named(new, of: address.entity) else { return false }
        return try frame.change(address, from: old, to: new)
      }
      if isChanged { restored += 1 }
      if frame.byteCount > Self.byteLimit {
        try append(frame, transaction)
        frame = encoder()
      }
    }
    if frame.hasEvents { try append(frame, transaction) }
  }

  private func encoder() -> FrameEncoder {
    FrameEncoder(envelope(revision: schema.revision), position: head.position + 1)
  }

  private func envelope(revision: UInt32) -> FrameEnvelope {
    var envelope = FrameEnvelope(
      transactionID: UniqueID(), replica: ReplicaReference(number: 0), base: head.position,
      wallTime: WallClock.microseconds(), schemaRevision: revision)
    envelope.author = .inline(Self.author)
    envelope.name = .inline("Salvaged instead of transactions \(gap.lowerBound) to \(gap.upperBound)")
    return envelope
  }

  private mutating func append(
    _ frame: consuming FrameEncoder, _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    let position = head.position + 1
    let time = head.nextTime(frame.envelope.wallTime)
    let (bytes, hash, _) = frame.finish(logID: logID, previousHash: head.hash, logTime: time)
    try LogTable(tables.log).append(bytes, at: position, transaction)
    head = LogHead(position: position, hash: hash, time: time)
  }
}

extension FrameEncoder {
  /// Whether the frame has more than the names that every transaction of a continuation begins with.
  fileprivate var hasEvents: Bool { eventCount > 1 }

  /// Adds the event that turns one record of an object into another. False if none is needed.
  fileprivate mutating func change(
    _ address: ObjectAddress, from old: [UInt8]?, to new: [UInt8]
  ) throws(MalformedBytes) -> Bool {
    try TransactionAppender.withRecord(old) { (old) throws(MalformedBytes) in
      try new.lend { (new) throws(MalformedBytes) in
        try change(address, from: old, to: try RecordReader(new))
      }
    }
  }

  private mutating func change(
    _ address: ObjectAddress, from old: RecordReader?, to new: RecordReader
  ) throws(MalformedBytes) -> Bool {
    let exists = old?.kind == .object
    switch new.kind {
    case .object:
      guard exists, let old else {
        inserted(address.uuid, new.fields, over: old, entity: address.entity)
        return true
      }
      return updated(address.uuid, try RecordUpdate(old, to: new.fields), entity: address.entity)
    case .tombstone:
      guard exists, let old else { return false }
      deleted(address.uuid, old, entity: address.entity)
      return true
    }
  }
}

extension RecordUpdate {
  /// The update that gives a record these fields.
  fileprivate init(_ record: RecordReader, to fields: RecordFields) throws(MalformedBytes) {
    self.init(record)
    var olds = RecordFields.Cursor(record.fields)
    var news = RecordFields.Cursor(fields)
    var old = try olds.nextNumber()
    var new = try news.nextNumber()
    let none = UnsafeRawBufferPointer(start: nil, count: 0)
    while let number = [old, new].compactMap({ $0 }).min() {
      let before = old == number ? try olds.rawValue() : none
      let after = new == number ? try news.rawValue() : none
      add(number, old: before) { $0.append(after) }
      if old == number { old = try olds.nextNumber() }
      if new == number { new = try news.nextNumber() }
    }
  }
}
