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

/// A draft as it was when its process ended.
package struct DraftImage: Sendable {
  package let header: DraftHeader
  /// What edits go on with: those of a lower generation may be taken for what a save consumed.
  package let generation: UInt64
  /// What the edits come to, object by object, from the values they began with.
  package let changes: ObjectMap<ObjectChange>
  /// How many undos there are.
  package let groupCount: Int
  package let lastGroupName: String?
  package let redoCount: Int
  /// What of it was lost, or may be in the wrong place.
  package var problems: [JournalProblem] = []
  private let steps: Steps
  private let map: SchemaMap

  /// What undo and redo are told from.
  indirect enum Steps: Sendable {
    case state(DraftState)
    case inJournal(JournalRun)
  }

  init(
    header: DraftHeader, generation: UInt64, changes: ObjectMap<ObjectChange>, groupCount: Int,
    lastGroupName: String?, redoCount: Int, steps: Steps, map: SchemaMap
  ) {
    self.header = header
    self.generation = generation
    self.changes = changes
    self.groupCount = groupCount
    self.lastGroupName = lastGroupName
    self.redoCount = redoCount
    self.steps = steps
    self.map = map
  }

  /// Undo groups, oldest first. Decoded at each call; O(edits), and in a long text O(edits times its length).
  package var groups: [DraftGroup] { history.groups }
  /// What was undone; the last is the next to be redone.
  package var redo: [DraftGroup] { history.redo }

  /// Both at once.
  package var history: DraftHistory {
    switch steps {
    case .state(let state): return DraftHistory(state, map)
    case .inJournal(let run):
      var state = DraftState(header.id)
      state.apply([run], [:])
      return DraftHistory(state, map)
    }
  }
}

/// A draft that was looked for, and what was wrong with it.
package struct FoundDraft: Sendable {
  package let draft: RecoveredDraft
  package let problems: [JournalProblem]
}
