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
  /// In how many launches one after the other a node was not restored, by its order.
  var missedLaunches: [UInt64: Int] = [:]
  /// By path, the drafts that nodes which were closed there left, where they are not named after it.
  var leftDrafts: [String: String] = [:]
}

extension ArchiveInfo {
  private static let version: UInt8 = 1

  /// Format (1), schema version, app version, time, nodes that were not restored, drafts left; behind their CRC-32C.
  func encoded() -> [UInt8] {
    var bytes = ByteWriter()
    bytes.append(Self.version)
    bytes.signedVarint(Int64(schemaVersion))
    bytes.string(appVersion)
    bytes.signedVarint(savedAt)
    bytes.varint(missedLaunches.count)
    for (order, launches) in missedLaunches.sorted(by: { $0.key < $1.key }) {
      bytes.varint(order)
      bytes.varint(launches)
    }
    bytes.varint(leftDrafts.count)
    for (path, draft) in leftDrafts.sorted(by: { $0.key < $1.key }) {
      bytes.string(path)
      bytes.string(draft)
    }
    return ArchiveRecord.sealed(bytes.bytes, for: ArchiveKey.info)
  }

  /// What an archive's records say, as far as they can be read.
  init(of records: SceneNodes) {
    records.buffer.withUnsafeBytes { all in
      for node in records.nodes {
        let key = UnsafeRawBufferPointer(rebasing: all[node.key])
        if ArchiveKey.isNode(key) {
          nodeCount += 1
        } else if ArchiveKey.isInfo(key) {
          read(UnsafeRawBufferPointer(rebasing: all[node.bytes]), key: key)
        }
      }
    }
  }

  private mutating func read(_ bytes: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer) {
    guard let body = ArchiveRecord.unsealed(bytes, for: key) else { return }
    var reader = ByteReader(body)
    guard (try? reader.byte()) == Self.version, let schema = (try? reader.signedVarint()).flatMap(Int.init(exactly:)),
      let app = try? reader.string(), let saved = try? reader.signedVarint()
    else { return }
    (schemaVersion, appVersion, savedAt) = (schema, app, saved)
    // Older versions end here.
    try? readMore(&reader)
  }

  private mutating func readMore(_ reader: inout ByteReader) throws(MalformedBytes) {
    for _ in 0..<(try reader.count(of: 2, "a count of nodes")) {
      let order = try reader.varint("an order")
      // However many: added to, it stays a number.
      missedLaunches[order] = Int(min(try reader.varint("launches"), 1 << 20))
    }
    for _ in 0..<(try reader.count(of: 2, "a count of drafts")) {
      let path = try reader.string("a path")
      leftDrafts[path] = try reader.string("a draft's ID")
    }
  }
}
