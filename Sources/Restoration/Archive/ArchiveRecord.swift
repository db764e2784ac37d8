import RepriseEventStore
import RepriseObjectModel

/// The record of a node, or of a registered object with a state, in an archive.
struct ArchiveRecord: Equatable {
  /// The node's path, or the object's key.
  var name: String
  var isObject = false
  /// The kind's name. Empty for an object.
  var kind: String
  /// A number that counts up as nodes are made or change parents. Siblings are in this order, unless they have a
  /// ``place``. For an object, it is the time when its state was written.
  var order: UInt64
  /// The ``SiblingKey`` of a node that was moved among its siblings. Empty if its order is its place.
  var place: [UInt8] = []
  /// The keys of the registered objects that the node or object refers to.
  var needs: [String] = []
  var context: OwnContext?
  /// The identity that references to the node use. Empty until there is one.
  var identity = ""
  /// The IDs of the visible children, joined with slashes, the one in front first. Empty if all are visible.
  var selection = ""
  /// The version of the state, as the kind counts versions.
  var version = 1
  var state: ArraySlice<UInt8>

  /// A node's own editing context.
  struct OwnContext: Equatable {
    /// Named after the scene and the node's path, unless the name was in use when the node was opened.
    var draft: String
    var parent: Parent

    enum Parent: Equatable {
      /// The context that is registered under the key.
      case registered(String)
      /// The own context of a node above.
      case node(String)
    }
  }

  var key: String { isObject ? ArchiveKey.object(name) : ArchiveKey.node(name) }
}

/// Why a record cannot be used.
enum ArchiveRecordError: Error {
  case damaged(String)
  case newerFormat(UInt8)

  var reason: String {
    switch self {
    case .damaged(let what): what
    case .newerFormat(let version):
      "its saved state has format \(version), which is newer than this version of the library"
    }
  }
}

// MARK: - Bytes

extension ArchiveRecord {
  static let version: UInt8 = 1

  /// The optional fields that a record has.
  enum Flag {
    static let context: UInt8 = 1
    static let identity: UInt8 = 2
    static let place: UInt8 = 4
    static let selection: UInt8 = 8
    static let version: UInt8 = 16
    static let known: UInt8 = 31
  }

  /// A CRC-32C over the key and the rest, format (1), flags, kind, order, [the whole key, if this is its hash], needs,
  /// [context: the draft, empty if it is named after the node, and the key of the parent], [identity], [place],
  /// [selection], [version], state.
  func encoded() -> [UInt8] {
    let key = key
    var flags: UInt8 = context == nil ? 0 : Flag.context
    if !identity.isEmpty { flags |= Flag.identity }
    if !place.isEmpty { flags |= Flag.place }
    if !selection.isEmpty { flags |= Flag.selection }
    if version != 1 { flags |= Flag.version }
    var bytes = ByteWriter(reserving: state.count + kind.utf8.count + 32)
    bytes.append(Self.version)
    bytes.append(flags)
    bytes.string(kind)
    bytes.varint(order)
    if ArchiveKey.isHashed(key) { bytes.string(ArchiveKey.whole(name, isObject: isObject)) }
    bytes.varint(needs.count)
    for need in needs { bytes.string(need) }
    if let context {
      bytes.string(context.draft == name ? "" : context.draft)
      switch context.parent {
      case .registered(let key): bytes.string(ArchiveKey.whole(key, isObject: true))
      case .node(let path): bytes.string(path)
      }
    }
    if !identity.isEmpty { bytes.string(identity) }
    if !place.isEmpty { bytes.sized(place) }
    if !selection.isEmpty { bytes.string(selection) }
    if version != 1 { bytes.varint(version) }
    bytes.append(state)
    return ArchiveSeal.seal(bytes.bytes, for: key)
  }
}
