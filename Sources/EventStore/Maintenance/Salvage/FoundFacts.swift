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
  private(set) var floor: LogFloor?
  /// The floors on free pages, which earlier commits have left.
  private var formerFloors: [Position: LogFloor] = [:]
  /// The names of authors, contexts and transactions, by number.
  private var names: [UInt32: (text: [UInt8], standing: FoundRow.Standing)] = [:]
  /// The progress of a migration. `nil` if none was under way.
  private(set) var migration: MigrationState?
  /// Whether a version before 0.1 made the store.
  private(set) var isOfPrerelease = false
  /// The attributes that are or were derived. The keys have no checksum, so some may not exist.
  private(set) var derived: Set<UInt32> = []
  /// The recorded end of the log. 0 if there is none.
  private(set) var end: Position = 0
  private var isEndKnown = false

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
      guard let found else { return }
      if row.standing == .free {
        formerFloors[found.position] = found
      } else if found.position > floor?.position ?? 0 {
        floor = found
      }
    case MetaKey.migration:
      let found = try? Array(row.value).lend { (bytes) throws(MalformedBytes) in try MigrationState(encoded: bytes) }
      if row.standing != .free, let found, !found.isOlder(than: migration) { migration = found }
    case MetaKey.head:
      let found = try? Array(row.value).lend { (bytes) throws(MalformedBytes) in try LogEnd(encoded: bytes) }
      if row.standing != .free, let found { (end, isEndKnown) = (max(end, found.position), true) }
    default: addNumbered(row)
    }
  }

  private mutating func addNumbered(_ row: FoundRow) {
    let (name, property) = Array(row.key).withUnsafeBytes { (MetaKey.name(key: $0), MetaKey.derivation(key: $0)) }
    // A name never changes, so copies of it on free pages have it, too.
    if let name, row.value.count <= NameTable.lengthLimit, names[name].map({ row.standing < $0.standing }) ?? true {
      names[name] = (Array(row.value), row.standing)
    }
    if row.standing != .free, let property { derived.insert(property) }
  }

  /// Called once all rows were added. If the floor is damaged, a copy of it on a free page replaces it. An interrupted
  /// `retain` may have left a later floor there, which the rows of the log contradict.
  ///
  /// - Parameter first: The first position of the log that has rows in use.
  mutating func settleFloor(_ first: Position?) {
    // No log begins after its end. Only the recorded end counts, because all transactions after a floor may be lost.
    if isEndKnown, let found = floor, found.position > end + 1 { floor = nil }
    guard floor == nil, let first, first > 1 else { return }
    floor = formerFloors.values.filter { $0.position <= first }.max { $0.position < $1.position }
  }

  /// Writes the names that had numbers before the floor. The caller has written the names of later transactions.
  /// Returns false if some names are lost, and get other texts.
  func putNames(
    _ floor: inout LogFloor, _ meta: MetaTable, _ transaction: borrowing WriteTransaction
  ) throws(StorageError) -> Bool {
    var texts: [[UInt8]] = []
    for number in 0..<floor.nameCount {
      var name = names[number].map { String(decoding: $0.text, as: UTF8.self) }
      // A damaged text may equal another name, and a text has only one number.
      if let text = name, try meta.number(MetaKey.number(of: text), transaction.view) != nil { name = nil }
      let known = name ?? "lost name \(number)"
      try meta.put(name: known, number: number, transaction)
      texts.append(Array(known.utf8))
    }
    let found = LogFloor.digest(ofNames: texts)
    defer { floor.names = found }
    return found == floor.names
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

  /// The ID of the copy if its log has no transaction, like the log of a store without models. `nil` for any other log.
  var replicaOfEmptyLog: UniqueID? { isEndKnown && end == 0 ? replica : nil }

  var replica: UniqueID? { replicas.min { $0.standing < $1.standing }?.id }

  /// The UUID with which the log's hashes are valid. If there are no hashes, the likeliest candidate. `nil` if it is
  /// lost.
  ///
  /// One byte of the UUID may be damaged. The hashes then show which byte, and its value.
  func logID(of log: FoundLog, in file: borrowing DataFile) throws(StorageError) -> UniqueID? {
    var seen: Set<UniqueID> = []
    let candidates = logs.sorted { $0.standing < $1.standing }.map(\.id).filter { seen.insert($0).inserted }
    let proofs = try proofs(log, in: file)
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
  private func proofs(_ log: FoundLog, in file: borrowing DataFile) throws(StorageError) -> [Proof] {
    var proofs: [Proof] = []
    var previous = (position: firstPosition - 1, hashes: [floor?.record.hash ?? .zero])
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
