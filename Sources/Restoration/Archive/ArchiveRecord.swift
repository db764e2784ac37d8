import CRepriseChecksums
import RepriseObjectModel

/// A node, or a registered object with a state, as it stands in the archive.
struct ArchiveRecord: Equatable {
  /// The node's path, or the object's key.
  var name: String
  var isObject = false
  /// The kind's name; empty for an object.
  var kind: String
  /// Counts up as nodes are made, so that they are made again in that order.
  var order: UInt64
  /// The keys of the registered objects that it refers to.
  var needs: [String] = []
  var context: OwnContext?
  var state: [UInt8]

  /// The editing context of a node.
  struct OwnContext: Equatable {
    /// The node's path, unless that was taken when the node was opened.
    var draft: String
    var parent: Parent

    enum Parent: Equatable {
      /// What is registered under the key.
      case registered(String)
      /// The own context of a node above.
      case node(String)
    }
  }

  var key: String { isObject ? ArchiveKey.object(name) : ArchiveKey.node(NodePath(unchecked: name)) }
}

/// Why a record is not used.
enum ArchiveRecordError: Error {
  case damaged(String)
  case newerFormat(UInt8)

  var reason: String {
    switch self {
    case .damaged(let what): what
    case .newerFormat(let version): "it has format \(version), which is newer than this version of the library"
    }
  }
}

// MARK: - Bytes

extension ArchiveRecord {
  private static let version: UInt8 = 1

  private enum Flag {
    static let named: UInt8 = 1
    static let object: UInt8 = 2
    static let context: UInt8 = 4
    static let underNode: UInt8 = 8
    static let ownDraft: UInt8 = 16
    static let all: UInt8 = 31
  }

  /// CRC-32C over the key and the rest; format (1), flags, [name], kind, order, needs, [context: [draft], parent],
  /// state.
  func encoded() -> [UInt8] {
    let key = key
    var flags: UInt8 = isObject ? Flag.object : 0
    if ArchiveKey.isHashed(key) { flags |= Flag.named }
    if let context {
      flags |= Flag.context
      if case .node = context.parent { flags |= Flag.underNode }
      if context.draft != name { flags |= Flag.ownDraft }
    }
    var bytes = ByteWriter(reserving: state.count + kind.utf8.count + 32)
    bytes.append(Self.version)
    bytes.append(flags)
    if flags & Flag.named != 0 { bytes.string(name) }
    bytes.string(kind)
    bytes.varint(order)
    bytes.varint(needs.count)
    for need in needs { bytes.string(need) }
    if let context {
      if flags & Flag.ownDraft != 0 { bytes.string(context.draft) }
      switch context.parent {
      case .registered(let parent), .node(let parent): bytes.string(parent)
      }
    }
    bytes.append(state)
    return Self.sealed(bytes.bytes, for: key)
  }

  init(_ bytes: [UInt8], key: String) throws(ArchiveRecordError) {
    guard let body = Self.unsealed(bytes, for: key) else {
      throw .damaged(bytes.isEmpty ? "its record is empty" : "its checksum does not match")
    }
    if let version = body.first, version > Self.version { throw .newerFormat(version) }
    let read = body.withUnsafeBytes { body in
      Result { () throws(MalformedBytes) -> ArchiveRecord in try Self.read(body, key: key) }
    }
    do throws(MalformedBytes) { self = try read.get() } catch { throw .damaged("\(error)") }
    guard self.key == key, isObject || NodePath(stored: name) != nil else {
      throw .damaged("it stands under a key that is not its own")
    }
    if case .node(let parent)? = context?.parent, !name.hasPrefix(parent + "/") {
      throw .damaged("its context is under '\(parent)', which is not above it")
    }
  }

  private static func read(_ bytes: UnsafeRawBufferPointer, key: String) throws(MalformedBytes) -> ArchiveRecord {
    var reader = ByteReader(bytes)
    guard try reader.byte() == version else { throw reader.fail("format 1") }
    let flags = try reader.byte("flags")
    guard flags & ~Flag.all == 0 else { throw reader.fail("known flags") }
    let isObject = flags & Flag.object != 0
    let name = flags & Flag.named != 0 ? try reader.string("a name") : isObject ? String(key.dropFirst()) : key
    let kind = try reader.string("a kind")
    let order = try reader.varint("an order")
    var needs: [String] = []
    for _ in 0..<(try reader.count(of: 1, "a count of needs")) { needs.append(try reader.string("a need")) }
    var context: OwnContext?
    if flags & Flag.context != 0 {
      let draft = flags & Flag.ownDraft != 0 ? try reader.string("a draft's ID") : name
      let parent = try reader.string("a context's parent")
      context = OwnContext(draft: draft, parent: flags & Flag.underNode != 0 ? .node(parent) : .registered(parent))
    }
    let state = Array(try reader.take(reader.remaining))
    return ArchiveRecord(
      name: name, isObject: isObject, kind: kind, order: order, needs: needs, context: context, state: state)
  }

  /// The bytes behind their checksum, which covers the key too: a record under another's key is damage.
  static func sealed(_ body: [UInt8], for key: String) -> [UInt8] {
    var bytes = ByteWriter(reserving: body.count + 4)
    bytes.fixed(checksum(body[...], key))
    bytes.append(body)
    return bytes.bytes
  }

  static func unsealed(_ bytes: [UInt8], for key: String) -> ArraySlice<UInt8>? {
    guard bytes.count > 4 else { return nil }
    let expected = bytes[..<4].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    return checksum(bytes[4...], key) == expected ? bytes[4...] : nil
  }

  private static func checksum(_ body: ArraySlice<UInt8>, _ key: String) -> UInt32 {
    var key = key
    let ofKey = key.withUTF8 { reprise_crc32c(0, $0.baseAddress, $0.count) }
    return body.withUnsafeBytes { reprise_crc32c(ofKey, $0.baseAddress, $0.count) }
  }
}
