import RepriseLog
import RepriseObjectModel

/// A recovered draft, as its process left it.
package struct DraftImage: Sendable {
  /// The header of the draft: its ID and its base.
  package let header: DraftHeader
  /// The generation for new edits. Edits of a lower one could be mistaken for edits that a save consumed.
  package let generation: UInt64
  /// The net change of each object, from its values before the first edit; of a draft of many edits they are in
  /// `unread`.
  package let changes: ObjectMap<ObjectChange>
  /// Reads the net change of an object on request. `nil` if all net changes are in ``changes``.
  package let unread: UnreadChanges?
  /// How many groups can be undone.
  package let groupCount: Int
  /// How many undone groups can be redone.
  package let redoCount: Int
  /// The transactions of the log that the first groups revert, one for each group.
  package let reversals: [Reversal]
  /// The parts that were lost, or that may be in the wrong place.
  package var problems: [JournalProblem] = []
  /// Whether migrations converted something of it, so that the rows have another form.
  package var isConverted = false
  private let knownGroupName: String?
  private let steps: Steps
  private let map: SchemaMap

  /// The source of undo and redo.
  indirect enum Steps: Sendable {
    case state(DraftReplay)
    /// Read again on request. Has the name of the last group if the journals had no group beyond the rows.
    case unread(UnreadChanges, hasLastGroup: Bool)
  }

  init(
    header: DraftHeader, generation: UInt64, changes: ObjectMap<ObjectChange>, groupCount: Int,
    lastGroupName: String?, redoCount: Int, reversals: [Reversal] = [], steps: Steps, map: SchemaMap
  ) {
    self.header = header
    self.generation = generation
    self.changes = changes
    if case .unread(let unread, _) = steps { self.unread = unread } else { unread = nil }
    self.groupCount = groupCount
    knownGroupName = lastGroupName
    self.redoCount = redoCount
    self.reversals = reversals
    self.steps = steps
    self.map = map
  }

  /// The name of the group that would be undone next. `nil` if it has none.
  package var lastGroupName: String? {
    if case .unread(let unread, true) = steps { unread.lastGroupName } else { knownGroupName }
  }

  /// Whether no change is left.
  package var isEmpty: Bool { changes.isEmpty && unread?.isEmpty ?? true }

  /// Whether it has values that no migration could convert. They are left out, and in its problems.
  package var hasUnconverted: Bool { problems.contains(where: \.isUnconverted) }

  /// Undo groups, oldest first, decoded at each call. O(edits), for a long text O(edits × its length).
  package var groups: [DraftGroup] { history.groups }

  /// Undo and redo together, decoded once.
  package var history: DraftHistory {
    switch steps {
    case .state(let state): return DraftHistory(state, map)
    case .unread(let unread, _): return DraftHistory(unread.readAgain() ?? DraftReplay(header.id), map)
    }
  }
}

/// A draft that was found, and its problems.
package struct DraftFinding: Sendable {
  package private(set) var draft: RecoveredDraft
  /// Of the journals and rows that had it.
  package private(set) var problems: [JournalProblem]

  init(draft: RecoveredDraft, problems: [JournalProblem]) {
    self.draft = draft
    self.problems = problems
  }

  package var header: DraftHeader {
    switch draft {
    case .readable(let image): image.header
    case .unreadable(let header, _): header
    }
  }

  package mutating func add(_ problem: JournalProblem) {
    problems.append(problem)
    guard case .readable(var image) = draft else { return }
    image.problems.append(problem)
    draft = .readable(image)
  }
}

/// The result of recovering one draft.
package enum RecoveredDraft: Sendable {
  /// As its process left it.
  case readable(DraftImage)
  /// This process's models lack an entity or a property that the draft touches.
  case unreadable(DraftHeader, reason: String)
}
