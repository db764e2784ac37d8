import RepriseObjectModel

/// One edit of one object.
package struct DraftEdit: Hashable, Sendable {
  package var object: AnyObjectID
  package var change: ObjectChange

  package init(object: AnyObjectID, change: ObjectChange) {
    self.object = object
    self.change = change
  }
}

/// An undo group: the edits that one undo takes back.
package struct DraftGroup: Hashable, Sendable {
  package var name: String?
  package var edits: [DraftEdit]

  package init(name: String? = nil, edits: [DraftEdit] = []) {
    self.name = name
    self.edits = edits
  }
}
