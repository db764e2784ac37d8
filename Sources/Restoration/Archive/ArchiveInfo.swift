import RepriseEventStore
import RepriseObjectModel

/// The metadata of an archive, available before any node is restored.
public struct ArchiveInfo: Equatable, Sendable {
  /// The `schemaVersion` of the program that wrote the archive, or 0 if the metadata cannot be read.
  public var schemaVersion = 0
  /// The `appVersion` of the program that wrote the archive, or empty if the metadata cannot be read.
  public var appVersion = ""
  /// The operating system of the process that wrote the archive, such as "Linux 6.8.0".
  ///
  /// Empty if the metadata cannot be read.
  public var systemVersion = ""
  /// The time of the last write, in microseconds since 1970 by the wall clock, or 0 if the metadata cannot be read.
  ///
  /// Accurate to the minute: saves within a minute of each other may leave it unchanged.
  public var savedAt: Int64 = 0
  /// How the launch that wrote the archive ended, or ``ExitReason/unknown`` while a launch is running.
  public internal(set) var lastExit = ExitReason.unknown
  /// The number of nodes in the archive.
  public var nodeCount = 0
  /// The nodes that were not restored, by their order.
  var missed: [UInt64: MissedNode] = [:]
  /// The drafts that closed nodes left, in the order of closing.
  var leftDrafts: [LeftDraft] = []
  /// The facts about nodes that stay unread. `nil` if all nodes are read.
  var parts: Parts?

  /// The facts about all nodes of an archive. With them, the nodes can stay unread.
  struct Parts: Equatable {
    var nodeCount: Int
    /// No node has a larger order.
    var lastOrder: UInt64
    /// The IDs of the visible roots, in the form of a node's visible children.
    var selection = ""
    /// The times when nodes were used. Empty unless a policy needs them.
    var marks: [OrderMark] = []
  }
}

/// How often, and since when, a node was not restored.
struct MissedNode: Equatable, Sendable {
  /// The number of consecutive launches that did not restore the node.
  var launches = 0
  /// The time of the first of these launches, in microseconds since 1970. 0 if it is not known.
  var since: Int64 = 0
}

/// A draft that a closed node left, with the facts that the archive has about it.
struct LeftDraft: Equatable, Sendable {
  /// The path of the closed node.
  var path: String
  var draft: String
  /// The key of the registered context whose store has the draft. Empty if it is unknown.
  var key = ""
  /// The name of the node's kind. Empty if it is not known.
  var kind = ""
  /// The title of the node. Empty if its kind had none.
  var title = ""
}

extension ArchiveInfo {
  private static let version: UInt8 = 1

  /// A CRC-32C over the rest, format (1), schema version, app version, system version, time, whether nodes are deferred
  /// (1), their number, the largest order, the visible roots, marks, nodes that were not restored, and drafts left.
  func encoded() -> [UInt8] {
    var bytes = ByteWriter(reserving: 64)
    bytes.append(Self.version)
    bytes.signedVarint(Int64(schemaVersion))
    bytes.string(appVersion)
    bytes.string(systemVersion)
    bytes.signedVarint(savedAt)
    bytes.append(parts == nil ? 0 : 1)
    bytes.varint(max(0, parts?.nodeCount ?? 0))
    bytes.varint(parts?.lastOrder ?? 0)
    bytes.string(parts?.selection ?? "")
    bytes.varint(parts?.marks.count ?? 0)
    for mark in parts?.marks ?? [] {
      bytes.varint(mark.order)
      bytes.signedVarint(mark.time)
    }
    bytes.varint(missed.count)
    for (order, node) in missed.heapSorted(by: { $0.key < $1.key }) {
      bytes.varint(order)
      bytes.varint(node.launches)
      bytes.signedVarint(node.since)
    }
    bytes.varint(leftDrafts.count)
    for left in leftDrafts {
      bytes.string(left.path)
      bytes.string(left.draft)
      bytes.string(left.key)
      bytes.string(left.kind)
      bytes.string(left.title)
    }
    return ArchiveSeal.seal(bytes.bytes, for: ArchiveKey.info)
  }

  /// Whether each node is read only when a caller requests it.
  package var isInParts: Bool { parts != nil }

  /// The info among an archive's records, as far as they can be read.
  package init(of records: SceneNodes) {
    records.buffer.withUnsafeBytes { all in
      for node in records.nodes {
        let key = UnsafeRawBufferPointer(rebasing: all[node.key])
        if ArchiveKey.isNode(key) {
          nodeCount += 1
        } else if ArchiveKey.isInfo(key) {
          let record = UnsafeRawBufferPointer(rebasing: all[node.bytes])
          guard let body = ArchiveSeal.body(of: record, for: key) else { continue }
          var (read, reader) = (self, ByteReader(body))
          if (try? read.read(&reader)) != nil { self = read }
        }
      }
    }
  }

  /// Reads the fields of this version. Later versions may add fields at the end.
  private mutating func read(_ reader: inout ByteReader) throws(MalformedBytes) {
    guard try reader.byte() == Self.version else { throw reader.fail("format 1") }
    schemaVersion = Int(clamping: try reader.signedVarint("a schema version"))
    appVersion = try reader.string("an app version")
    systemVersion = try reader.string("a system's version")
    savedAt = try reader.signedVarint("a time")
    let isInParts = try reader.byte("a flag")
    guard isInParts <= 1 else { throw reader.fail("a flag") }
    // Capped, as the launches below.
    let count = Int(min(try reader.varint("a number of nodes"), 1 << 40))
    var parts = Parts(nodeCount: count, lastOrder: try reader.varint("an order"))
    parts.selection = try reader.string("a selection")
    for _ in 0..<(try reader.count(of: 2, "a count of marks")) {
      let order = try reader.varint("an order")
      parts.marks.append(OrderMark(order: order, time: try reader.signedVarint("a time")))
    }
    self.parts = isInParts == 1 ? parts : nil
    for _ in 0..<(try reader.count(of: 3, "a count of nodes")) {
      let order = try reader.varint("an order")
      // Capped, so that adding to it cannot overflow.
      let launches = Int(min(try reader.varint("launches"), 1 << 20))
      missed[order] = MissedNode(launches: launches, since: try reader.signedVarint("a time"))
    }
    for _ in 0..<(try reader.count(of: 5, "a count of drafts")) {
      let path = try reader.string("a path")
      leftDrafts.append(
        LeftDraft(
          path: path, draft: try reader.string("a draft's ID"), key: try reader.string("a key"),
          kind: try reader.string("a kind"), title: try reader.string("a title")))
    }
  }
}
