import RepriseEventStore
import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// Writes the transactions of packets into a replica: frames, records, indexes, counts, names, schema and blobs.
///
/// A packet has outcomes, so applying it decides nothing and needs no models. An applier lives within one LMDB write
/// transaction.
package struct PacketApplier {
  package private(set) var head: LogHead
  /// The last packet that was applied.
  package private(set) var last: UniqueID?
  private let tables: StoreTables
  private let objects: ObjectTable
  private let logID: UniqueID
  private let copy: UniqueID?
  private let keyframes: KeyframeSpacing
  package private(set) var schema: StoredSchema
  private var indexes: AppliedIndexes
  private var changes = CommitChanges()
  private var names: NameTable
  /// The entities whose objects changed, and the computations of derived attributes that their makers had.
  private var derivations = AppliedDerivations()
  private let first: Position

  /// - Parameters:
  ///   - last: The packet whose transactions the store has last. `nil` for a store without packets.
  ///   - copy: Identifies the store among all copies. It consumes the drafts that its own packets name.
  package init(
    _ tables: StoreTables, logID: UniqueID, after last: UniqueID?, copy: UniqueID? = nil, keyframes: KeyframeSpacing,
    _ view: View
  ) throws(StorageError) {
    self.copy = copy
    self.tables = tables
    self.logID = logID
    self.last = last
    self.keyframes = keyframes
    objects = ObjectTable(tables)
    let meta = MetaTable(tables.meta)
    let log = LogTable(tables.log)
    head = try log.head(view)
    head.greatestID = try meta.requireEnd(head, of: log, view).greatestID
    first = head.position
    schema = try meta.schema(view)
    try Self.require(schema, meta, view)
    indexes = AppliedIndexes(schema)
    names = try NameTable(meta, view)
  }

  /// Throws if this program would write other rows into an index than the programs that read it.
  private static func require(_ schema: StoredSchema, _ meta: MetaTable, _ view: View) throws(StorageError) {
    if let found = schema.newerWords {
      throw .newerFormat(
        found: found, supported: SearchWords.version, StorageError.Site(.decode, meta.table.path))
    }
    try meta.requireLocaleOrders(of: schema.localeCollations, path: meta.table.path, view)
  }

  /// Applies a packet. After an error, the LMDB transaction must be aborted.
  package mutating func apply(
    _ packet: LogPacket, _ transaction: borrowing WriteTransaction
  ) throws(PacketError) {
    let tables = tables
    try packet.bytes.lend { (bytes) throws(PacketError) in
      let content = try PacketError.reading { () throws(MalformedBytes) in try PacketContent(bytes) }
      if content.logID != logID { throw .otherLog(found: content.logID, expected: logID) }
      if content.predecessor != last { throw .otherPredecessor(found: content.predecessor, expected: last) }
      if content.first != head.position + 1 {
        throw .otherPosition(found: content.first, expected: head.position + 1)
      }
      for (digest, bytes) in content.blobs { try tables.bring(digest, bytes, transaction) }
      for next in content.transactions { try apply(next, content, transaction) }
      if content.replica == copy {
        let note = try PacketError.reading { () throws(MalformedBytes) in try PacketNote(content.note) }
        try PacketError.converting { () throws(StorageError) in
          try note.write(tables, transaction)
        }
      }
      last = content.id
    }
  }

  /// Writes the index changes, counts and the head of all packets.
  package mutating func finish(_ transaction: borrowing WriteTransaction) throws(StorageError) {
    try changes.write(tables, transaction)
    let meta = MetaTable(tables.meta)
    try derivations.write(meta, schema, transaction)
    if head.position == first { return }
    UniqueID.note(head.greatestID)
    try meta.put(head, transaction)
  }

  // MARK: Transactions

  private mutating func apply(
    _ next: PacketContent.Transaction, _ packet: PacketContent, _ transaction: borrowing WriteTransaction
  ) throws(PacketError) {
    let position = head.position + 1
    let shared = try PacketError.reading { () throws(MalformedBytes) in try SharedPart(next.shared) }
    if shared.position != position { throw .otherPosition(found: shared.position, expected: position) }
    let hash = try Self.fitting(position) { () throws(ReplayError) in
      try shared.hash(logID: logID, previous: head.hash)
    }
    if hash != next.hash { throw .otherHash(position) }
    var copy = FrameCopy(position)
    var applied = schema
    let changesSchema = shared.envelope.schemaRevision != schema.revision
    applied.revision = shared.envelope.schemaRevision
    var failure: PacketError?
    try Self.fitting(position) { () throws(ReplayError) in
      try shared.forEachEvent { (event) throws(ReplayError) in
        if failure != nil { return }
        if changesSchema {
          try ReplayError.wrapping { () throws(MalformedBytes) in
            if let change = try event.schemaChange() { try applied.apply(change) }
          }
        }
        do throws(PacketError) {
          try apply(event, at: position, &copy, packet, transaction)
        } catch {
          failure = error
        }
      }
    }
    if let failure { throw failure }
    let logTime = shared.envelope.wallTime &+ next.delay
    let frame = copy.finish(next.shared, hash, delay: next.delay)
    try PacketError.converting { () throws(StorageError) in
      try append(frame, hash, logTime, shared.envelope, transaction)
    }
    if changesSchema { try take(applied, transaction) }
  }

  private mutating func append(
    _ frame: [UInt8], _ hash: Digest, _ logTime: Int64, _ envelope: FrameEnvelope,
    _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    let position = head.position + 1
    try LogTable(tables.log).append(frame, at: position, transaction)
    try names.take(envelope, transaction.view)
    try names.write(envelope, transaction)
    if logTime <= head.time {
      try MetaTable(tables.meta)
        .put(ClockStep(position: position, before: head.time, time: logTime), transaction)
    }
    let greatestID = UniqueID.later(head.greatestID, envelope.transactionID)
    head = LogHead(position: position, hash: hash, time: logTime, greatestID: greatestID)
  }

  /// Takes the schema after a schema transaction, and fills the indexes that are new in it.
  private mutating func take(_ next: StoredSchema, _ transaction: borrowing WriteTransaction) throws(PacketError) {
    do throws(StoreError) { try next.requireKnownLocales() } catch { throw .store(error) }
    try PacketError.converting { () throws(StorageError) in
      // New indexes are filled with the objects, so the changes so far belong to the old ones.
      try changes.write(tables, transaction)
      try MetaTable(tables.meta).put(next, transaction)
      try tables.follow(next, after: schema, transaction)
    }
    schema = next
    indexes = AppliedIndexes(next)
  }

  // MARK: Events

  private mutating func apply(
    _ event: LogEvent, at position: Position, _ copy: inout FrameCopy, _ packet: PacketContent,
    _ transaction: borrowing WriteTransaction
  ) throws(PacketError) {
    guard let address = event.change?.object else { return copy.add(.none) }
    let key = ObjectKey(entity: address.entity, uuid: address.uuid)
    let tombstone = ObjectKey(tombstoneOf: address.entity, uuid: address.uuid)
    let object = try PacketError.converting { () throws(StorageError) in try objects.bytes(key, transaction.view) }
    var before = object
    if object == nil {
      before = try PacketError.converting { () throws(StorageError) in try objects.bytes(tombstone, transaction.view) }
    }
    let (after, pointers, version) = try Self.fitting(position) { () throws(ReplayError) in
      try Self.replay(event, on: before, at: position)
    }
    copy.add(pointers)
    if event.kind == .updated { copy.keyframe(after, after: event.index, ofVersion: version, keyframes) }
    let exists = RecordKind(of: after) == .object
    try PacketError.converting { () throws(StorageError) in
      if let object, exists {
        try objects.put(after, key, replacing: object, transaction)
      } else if let object {
        try objects.delete(key, object, transaction)
        try objects.put(after, tombstone, replacing: nil, transaction)
        changes.count(-1, of: address.entity)
      } else {
        // Only an insertion applies to an object that does not exist.
        if let before { try objects.delete(tombstone, before, transaction) }
        try objects.put(after, key, replacing: nil, transaction)
        changes.count(1, of: address.entity)
        head.greatestID = UniqueID.later(head.greatestID, address.uuid)
      }
      try indexes.move(
        address, from: object, to: exists ? after : nil, at: position, tables, &changes, transaction)
    }
    derivations.note(address.entity, packet.derivations)
  }

  private static func replay(
    _ event: LogEvent, on before: [UInt8]?, at position: Position
  ) throws(ReplayError) -> (record: [UInt8], VersionPointers, version: UInt64) {
    guard let before else {
      return (try event.taking(.none).replayed(on: nil, at: position), .none, 1)
    }
    return try before.lend { (bytes) throws(ReplayError) in
      let record = try ReplayError.wrapping { () throws(MalformedBytes) in try RecordReader(bytes) }
      let pointers = record.pointersOfNext
      return (try event.taking(pointers).replayed(on: bytes, at: position), pointers, record.version + 1)
    }
  }

  private static func fitting<Result>(
    _ position: Position, _ body: () throws(ReplayError) -> Result
  ) throws(PacketError) -> Result {
    do throws(ReplayError) { return try body() } catch { throw .cannotApply(position, reason: "\(error)") }
  }
}
