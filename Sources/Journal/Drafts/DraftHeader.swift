import RepriseLog
import RepriseObjectModel

/// The metadata of a draft.
package struct DraftHeader: Equatable, Sendable {
  package var id: String
  /// The draft of the parent context. `nil` for a root context.
  package var parent: String?
  package var author: String?
  /// The position that the edits are based on.
  package var base: Position
  /// The first eight bytes of the hash of the transaction at that position. They identify it, because a store that was
  /// restored from an older copy has another transaction there. 0 for position 0, or if it is unknown.
  package var baseHash: UInt64
  package var name: String?

  package init(
    id: String, parent: String? = nil, author: String? = nil, base: Position, baseHash: UInt64 = 0, name: String? = nil
  ) {
    self.id = id
    self.parent = parent
    self.author = author
    self.base = base
    self.baseHash = baseHash
    self.name = name
  }
}

extension ByteWriter {
  /// Writes the header without the ID, which is stored separately.
  mutating func draftHeader(_ header: DraftHeader, generation: UInt64) {
    varint(generation)
    draftBase(header.base, header.baseHash)
    optionalString(header.parent)
    optionalString(header.author)
    optionalString(header.name)
  }

  mutating func draftBase(_ base: Position, _ hash: UInt64) {
    position(base)
    fixed(hash.bigEndian)
  }
}

extension ByteReader {
  mutating func draftHeader(_ id: String) throws(MalformedBytes) -> (DraftHeader, generation: UInt64) {
    let generation = try varint("a generation")
    let (base, hash) = try draftBase()
    let parent = try optionalString("a parent's ID")
    let author = try optionalString("an author")
    let name = try optionalString("a name")
    return (DraftHeader(id: id, parent: parent, author: author, base: base, baseHash: hash, name: name), generation)
  }

  mutating func draftBase() throws(MalformedBytes) -> (Position, hash: UInt64) {
    (try position(), UInt64(bigEndian: try fixed(UInt64.self, "the beginning of a hash")))
  }
}

extension ByteReader {
  mutating func optionalString(_ what: StaticString) throws(MalformedBytes) -> String? {
    switch try byte(what) {
    case 0: return nil
    case 1: return try string(what)
    default: throw fail(what)
    }
  }
}

extension ByteWriter {
  /// Writes 0 for `nil`, otherwise 1 and the text.
  mutating func optionalString(_ text: String?) {
    append(text == nil ? 0 : 1)
    if let text { string(text) }
  }
}
