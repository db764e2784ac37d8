import RepriseEventStore
import RepriseObjectModel

/// The metadata of an archive, available before any node is restored.
public struct ArchiveInfo: Hashable, Sendable {
  /// The `schemaVersion` of the program that wrote the archive, or 0 if the metadata cannot be read.
  public var schemaVersion = 0
  /// The `appVersion` of the program that wrote the archive, or empty if the metadata cannot be read.
  public var appVersion = ""
  /// The operating system on which the archive was written, such as "Linux 6.8.0".
  ///
  /// Empty if the metadata cannot be read, or if an older version of the library wrote it.
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
  /// The drafts that closed nodes left, the last one last.
  var leftDrafts: [LeftDraft] = []
  /// What is to be known of nodes that are not read; `nil` if all are to be.
  var parts: Parts?

  /// What an archive says of all its nodes, so that they need not be read.
  struct Parts: Hashable {
    var nodeCount: Int
    /// No node has a larger order.
    var lastOrder: UInt64
    /// The IDs of the visible roots, as those of the visible children of a node.
    var selection = ""
    /// When which nodes were used, as far as a policy wants to know.
    var marks: [OrderMark] = []
  }
}

/// Since when a node was not restored.
struct MissedNode: Hashable, Sendable {
  /// In how many consecutive launches.
  var launches = 0
  /// When it was first not restored, in microseconds since 1970; 0 if it is not known.
  var since: Int64 = 0
}

/// A draft that a closed node left, and what the archive knows of it beside its edits.
struct LeftDraft: Hashable, Sendable {
  /// Where the node stood.
  var path: String
  var draft: String
  /// Under what the context is registered in whose store the draft is; empty if that is not known.
  var key = ""
  /// The name of the node's kind; empty if it is not known.
  var kind = ""
  /// What people called the node; empty if its kind did not say.
  var title = ""
}

extension ArchiveInfo {
  private static let version: UInt8 = 1

  /// Format (1), schema version, app version, time, nodes that were not restored, drafts left, system version, since
  /// when those nodes were not, [number of nodes, last order, [visible roots, [marks, [more of the drafts left]]]];
  /// preceded by their CRC-32C.
  func encoded() -> [UInt8] {
    var bytes = ByteWriter()
    bytes.append(Self.version)
    bytes.signedVarint(Int64(schemaVersion))
    bytes.string(appVersion)
    bytes.signedVarint(savedAt)
    let missed = missed.sorted { $0.key < $1.key }
    bytes.varint(missed.count)
    for (order, node) in missed {
      bytes.varint(order)
      bytes.varint(node.launches)
    }
    bytes.varint(leftDrafts.count)
    for left in leftDrafts {
      bytes.string(left.path)
      bytes.string(left.draft)
    }
    bytes.string(systemVersion)
    for (_, node) in missed { bytes.signedVarint(node.since) }
    // What stands before the last of these must be there as well.
    let (hasLeft, marks) = (!leftDrafts.isEmpty, parts?.marks ?? [])
    if parts != nil || hasLeft {
      bytes.varint(parts?.nodeCount ?? 0)
      bytes.varint(parts?.lastOrder ?? 0)
    }
    if hasLeft || !marks.isEmpty || parts?.selection.isEmpty == false { bytes.string(parts?.selection ?? "") }
    if hasLeft || !marks.isEmpty { bytes.varint(marks.count) }
    for mark in marks {
      bytes.varint(mark.order)
      bytes.signedVarint(mark.time)
    }
    for left in leftDrafts {
      bytes.string(left.key)
      bytes.string(left.kind)
      bytes.string(left.title)
    }
    return ArchiveRecord.sealed(bytes.bytes, for: ArchiveKey.info)
  }

  /// Whether its nodes are to be read when they are asked for.
  package var isInParts: Bool { parts != nil }

  /// As far as an archive's records can be read.
  package init(of records: SceneNodes) {
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
    // Older versions wrote no more.
    try? readMore(&reader)
  }

  private mutating func readMore(_ reader: inout ByteReader) throws(MalformedBytes) {
    var orders: [UInt64] = []
    for _ in 0..<(try reader.count(of: 2, "a count of nodes")) {
      orders.append(try reader.varint("an order"))
      // Capped, so that adding to it cannot overflow.
      missed[orders[orders.count - 1]] = MissedNode(launches: Int(min(try reader.varint("launches"), 1 << 20)))
    }
    for _ in 0..<(try reader.count(of: 2, "a count of drafts")) {
      let path = try reader.string("a path")
      leftDrafts.append(LeftDraft(path: path, draft: try reader.string("a draft's ID")))
    }
    if reader.isAtEnd { return }
    systemVersion = try reader.string("a system's version")
    if reader.isAtEnd { return }
    for order in orders { missed[order]?.since = try reader.signedVarint("a time") }
    if reader.isAtEnd { return }
    let count = try reader.varint("a number of nodes")
    var parts = Parts(nodeCount: Int(clamping: count), lastOrder: try reader.varint("an order"))
    defer { if parts != Parts(nodeCount: 0, lastOrder: 0) { self.parts = parts } }
    if reader.isAtEnd { return }
    parts.selection = try reader.string("a selection")
    if reader.isAtEnd { return }
    for _ in 0..<(try reader.count(of: 2, "a count of marks")) {
      let order = try reader.varint("an order")
      parts.marks.append(OrderMark(order: order, time: try reader.signedVarint("a time")))
    }
    if reader.isAtEnd { return }
    for index in leftDrafts.indices {
      leftDrafts[index].key = try reader.string("a key")
      leftDrafts[index].kind = try reader.string("a kind")
      leftDrafts[index].title = try reader.string("a title")
    }
  }
}
