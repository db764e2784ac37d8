import RepriseObjectModel

/// The metadata of a draft.
package struct DraftHeader: Equatable, Sendable {
  package var id: String
  /// The draft of the parent context; `nil` for a root context.
  package var parent: String?
  package var author: String?
  /// The position that the edits are based on.
  package var base: Position
  package var name: String?

  package init(id: String, parent: String? = nil, author: String? = nil, base: Position, name: String? = nil) {
    self.id = id
    self.parent = parent
    self.author = author
    self.base = base
    self.name = name
  }
}

extension ByteWriter {
  /// Writes the header without the ID, which is stored separately.
  mutating func draftHeader(_ header: DraftHeader, generation: UInt64) {
    varint(generation)
    position(header.base)
    optionalString(header.parent)
    optionalString(header.author)
    optionalString(header.name)
  }
}

extension ByteReader {
  mutating func draftHeader(_ id: String) throws(MalformedBytes) -> (DraftHeader, generation: UInt64) {
    let generation = try varint("a generation")
    let base = try position()
    let parent = try optionalString("a parent's ID")
    let author = try optionalString("an author")
    let name = try optionalString("a name")
    return (DraftHeader(id: id, parent: parent, author: author, base: base, name: name), generation)
  }
}
