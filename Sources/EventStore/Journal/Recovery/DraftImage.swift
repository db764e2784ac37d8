import RepriseObjectModel

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
    case state(DraftReplay)
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
      var state = DraftReplay(header.id)
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

/// What became of one draft.
package enum RecoveredDraft: Sendable {
  case readable(DraftImage)
  /// The models at hand lack something that it touches.
  case unreadable(DraftHeader, reason: String)
}
