import RepriseEventStore
import RepriseObjectModel

/// What an archive says of itself, before anything of it is restored.
public struct ArchiveInfo: Hashable, Sendable {
  /// The `schemaVersion` that the program which wrote it gave; 0 if what says so is damaged.
  public var schemaVersion = 0
  /// The `appVersion` that the program which wrote it gave; empty if what says so is damaged.
  public var appVersion = ""
  /// When it was last written, to the minute, in microseconds since 1970 by the wall clock; 0 if what says so is
  /// damaged.
  public var savedAt: Int64 = 0
  /// How many nodes it has.
  public var nodeCount = 0
}

extension ArchiveInfo {
  private static let version: UInt8 = 1

  /// Format (1), schema version, app version, time; behind their CRC-32C.
  func encoded() -> [UInt8] {
    var bytes = ByteWriter()
    bytes.append(Self.version)
    bytes.signedVarint(Int64(schemaVersion))
    bytes.string(appVersion)
    bytes.signedVarint(savedAt)
    return ArchiveRecord.sealed(bytes.bytes, for: ArchiveKey.info)
  }

  /// What an archive's records say, as far as they can be read.
  init(of records: SceneNodes) {
    nodeCount = records.numbers.count { records.read($0, { key, _ in ArchiveKey.isNode(key) }) ?? false }
    guard let number = records.number(of: ArchiveKey.info) else { return }
    try? records.read(number) { (key, bytes) throws(MalformedBytes) in
      guard let body = ArchiveRecord.unsealed(bytes, for: key) else { return }
      var reader = ByteReader(body)
      guard try reader.byte() == Self.version else { return }
      let schema = try reader.signedVarint()
      let (app, saved) = (try reader.string(), try reader.signedVarint())
      guard let schema = Int(exactly: schema) else { return }
      (schemaVersion, appVersion, savedAt) = (schema, app, saved)
    }
  }
}
