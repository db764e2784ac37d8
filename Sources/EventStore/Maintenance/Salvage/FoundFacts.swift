import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// The readable content of the table `meta` of a damaged file. Entries without a checksum need another proof: the log's
/// hashes prove the log's UUID.
struct FoundFacts {
  /// The candidates for the log's UUID.
  private var logs: [(id: UniqueID, standing: FoundRow.Standing)] = []
  private var replicas: [(id: UniqueID, standing: FoundRow.Standing)] = []
  /// The newest intact schema.
  private var newestSchema: StoredSchema?
  private var history: SchemaHistory?
  /// The latest floor, if the beginning of the log was dropped. It has the schema at that position.
  private var floor: LogFloor?
  /// The progress of a migration. `nil` if none was under way.
  private(set) var migration: MigrationState?
  /// Whether a version before 0.1 made the store.
  private(set) var isOfPrerelease = false
  /// The attributes that are or were derived. The keys have no checksum, so some may not exist.
  private(set) var derived: Set<UInt32> = []
  /// The recorded end of the log. 0 if there is none.
  private(set) var end: Position = 0

  mutating func add(_ row: FoundRow) {
    guard row.table == "meta" || row.table == nil else { return }
    switch Array(row.key) {
    case MetaKey.format: if row.standing == .inTree, MetaTable.isOfPrerelease(row.value) { isOfPrerelease = true }
    case MetaKey.log: if let id = Self.uuid(row.value) { logs.append((id, row.standing)) }
    case MetaKey.replica: if let id = Self.uuid(row.value) { replicas.append((id, row.standing)) }
    case MetaKey.schema:
      let found = try? Array(row.value).lend { (bytes) throws(MalformedBytes) in try StoredSchema(encoded: bytes) }
      if row.standing != .free, let found, found.revision > newestSchema?.revision ?? 0 { newestSchema = found }
    case MetaKey.history:
      let found = try? Array(row.value).lend { (bytes) throws(MalformedBytes) in try SchemaHistory(encoded: bytes) }
      if row.standing != .free, let found, !found.isOlder(than: history) { history = found }
    case MetaKey.floor:
      let found = try? Array(row.value).lend { (bytes) throws(MalformedBytes) in try LogFloor(encoded: bytes) }
      if row.standing != .free, let found, found.position > floor?.position ?? 0 { floor = found }
    case MetaKey.migration:
      let found = try? Array(row.value).lend { (bytes) throws(MalformedBytes) in try MigrationState(encoded: bytes) }
      if row.standing != .free, let found, !found.isOlder(than: migration) { migration = found }
    case MetaKey.head:
      let found = try? Array(row.value).lend { (bytes) throws(MalformedBytes) in try LogEnd(encoded: bytes) }
      if row.standing != .free, let found { end = max(end, found.position) }
    default:
      let property = Array(row.key).withUnsafeBytes { MetaKey.derivation(key: $0) }
      if row.standing != .free, let property { derived.insert(property) }
    }
  }

  /// The first transaction that `retain` has left. 1 for a whole log.
  var firstPosition: Position { floor?.position ?? 1 }

  /// Whether an intact schema of some commit was found. Otherwise only the log has it.
  var hasSchema: Bool { newestSchema != nil }

  /// The schema with its history, as far as the history is intact.
  var schema: StoredSchema? {
    var found = newestSchema
    if let history { found?.take(history) }
    if let floor, floor.schema.revision > found?.revision ?? 0 { found = floor.schema }
    guard var schema = found else { return nil }
    // Only the history says that a migration has begun. If the history is lost, the state of the migration says so.
    if let migration, migration.version > schema.version, migration.isNumbered(in: schema) {
      (schema.version, schema.oldestVersion) = (migration.version, migration.version)
    }
    return schema
  }

  /// A journal also names its log, covered by a checksum.
  mutating func add(journalOf log: UniqueID) { logs.append((log, .inTree)) }

  var replica: UniqueID? { replicas.min { $0.standing < $1.standing }?.id }

  /// The UUID with which the log's hashes are valid. If there are no hashes, the likeliest candidate. `nil` if it is
  /// lost.
  ///
  /// One byte of the UUID may be damaged. The hashes then show which byte, and its value.
  func logID(of log: FoundLog, in file: borrowing DataFile) throws(StorageError) -> UniqueID? {
    var seen: Set<UniqueID> = []
    let candidates = logs.sorted { $0.standing < $1.standing }.map(\.id).filter { seen.insert($0).inserted }
    let proofs = try Self.proofs(log, in: file)
    if proofs.isEmpty { return candidates.first }
    func isProved(_ id: UniqueID) -> Bool { proofs.contains { $0.frame.follows($0.previous, in: id) } }
    if let found = candidates.first(where: isProved) { return found }
    for candidate in candidates {
      let bytes = MetaTable.bytes(candidate)
      for place in bytes.indices {
        for value in UInt8.min...UInt8.max {
          var changed = bytes
          changed[place] = value
          if let id = Self.uuid(changed[...]), isProved(id) { return id }
        }
      }
    }
    return nil
  }

  private struct Proof {
    let frame: FoundLog.Frame
    let previous: Digest
  }

  /// Some transactions, each with the hash of the previous one. If there are several copies, only one has to be valid.
  private static func proofs(_ log: FoundLog, in file: borrowing DataFile) throws(StorageError) -> [Proof] {
    var proofs: [Proof] = []
    var previous = (position: Position(0), hashes: [Digest.zero])
    for position in log.positions(from: 1, through: Position(.max)) {
      let frames = try log.frames(at: position, in: file)
      if previous.position + 1 == position {
        for frame in frames { proofs += previous.hashes.map { Proof(frame: frame, previous: $0) } }
      }
      if proofs.count >= 4 { break }
      previous = (position, frames.map(\.hash))
    }
    return proofs
  }

  private static func uuid(_ value: ArraySlice<UInt8>) -> UniqueID? {
    guard value.count == 16 else { return nil }
    return try? Array(value).lend { (bytes) throws(MalformedBytes) in
      var reader = ByteReader(bytes)
      return try reader.uuid("a UUID")
    }
  }
}
