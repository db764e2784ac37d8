import RepriseObjectModel

/// What is known of a draft besides its edits.
package struct DraftHeader: Hashable, Sendable {
  package var id: String
  /// The draft of the parent context; `nil` for a root context.
  package var parent: String?
  package var author: String?
  /// The position that the edits rest on.
  package var base: UInt64
  package var name: String?

  package init(id: String, parent: String? = nil, author: String? = nil, base: UInt64, name: String? = nil) {
    self.id = id
    self.parent = parent
    self.author = author
    self.base = base
    self.name = name
  }
}

/// One step: what happened to one object.
package struct DraftEdit: Hashable, Sendable {
  package var object: AnyObjectID
  package var change: ObjectChange

  package init(object: AnyObjectID, change: ObjectChange) {
    self.object = object
    self.change = change
  }
}

/// What one undo takes back.
package struct DraftGroup: Hashable, Sendable {
  package var name: String?
  package var edits: [DraftEdit]

  package init(name: String? = nil, edits: [DraftEdit] = []) {
    self.name = name
    self.edits = edits
  }
}
