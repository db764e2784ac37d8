import RepriseLMDB
import RepriseObjectModel

/// What the table `meta` of a damaged file says, as far as it can be told. What has no checksum is not believed by
/// itself: the name of the log is proved by the log's hashes.
struct FoundFacts {
  /// What may be the name of the log, the likeliest first.
  private var logs: [(id: UniqueID, standing: FoundRow.Standing)] = []
  private var replicas: [(id: UniqueID, standing: FoundRow.Standing)] = []
  /// The newest that is whole.
  private(set) var schema: StoredSchema?
  /// Where the log ends; 0 if nothing says so.
  private(set) var end: Position = 0

  mutating func add(_ row: FoundRow) {
    guard row.table == "meta" || row.table == nil else { return }
    switch Array(row.key) {
    case MetaKey.log: if let id = Self.uuid(row.value) { logs.append((id, row.standing)) }
    case MetaKey.replica: if let id = Self.uuid(row.value) { replicas.append((id, row.standing)) }
    case MetaKey.schema:
      let found = try? Array(row.value).lend { (bytes) throws(MalformedBytes) in try StoredSchema(encoded: bytes) }
      if row.standing != .free, let found, found.revision > schema?.revision ?? 0 { schema = found }
    case MetaKey.head:
      let found = try? Array(row.value).lend { (bytes) throws(MalformedBytes) in try LogEnd(encoded: bytes) }
      if row.standing != .free, let found { end = max(end, found.position) }
    default: break
    }
  }

  /// A journal says as well of which log it is, under a checksum.
  mutating func add(journalOf log: UniqueID) { logs.append((log, .inTree)) }

  var replica: UniqueID? { replicas.min { $0.standing < $1.standing }?.id }

  /// The name under which the log's hashes are right; `nil` if there are hashes, and it is lost.
  ///
  /// One byte of it may be damaged: then the hashes tell which, and what it was.
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

  /// Some transactions with what comes before each: of several copies only one need be right.
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
