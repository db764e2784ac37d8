/// What a process tells its journal.
package enum JournalEntry: Sendable {
  /// A draft begins, or goes on with another header. Edits that are there stay.
  case draftBegan(DraftHeader, generation: UInt64)
  /// `startsGroup` begins an undo group, named `groupName`; else the edit joins the last one, unless that is of another
  /// generation.
  case draftEdited(draft: String, generation: UInt64, startsGroup: Bool, groupName: String?, DraftEdit)
  /// The last group was taken back.
  case draftUndone(draft: String)
  /// The group that was taken back last is there again.
  case draftRedone(draft: String)
  /// Saved or discarded: what the edits up to this generation did is gone. The draft stays.
  case draftEmptied(draft: String, upTo: UInt64)
  case draftEnded(draft: String)
  /// The edits rest on another position now.
  case draftRebased(draft: String, base: Position)
  /// The state of a node of a screen.
  case nodePut(scene: String, key: String, bytes: [UInt8])
  case nodeRemoved(scene: String, key: String)
  case sceneCleared(scene: String)
}

/// The first byte of an entry in the file; 12 is `JournalFormat.flushedKind`.
enum JournalEntryKind: UInt8, Sendable {
  case began = 1
  case edited = 2
  case undone = 3
  case redone = 4
  case emptied = 5
  case ended = 6
  case rebased = 7
  /// Passed over: earlier versions said in this way that a draft was open.
  case held = 8
  case nodePut = 9
  case nodeRemoved = 10
  case sceneCleared = 11

  var isOfScene: Bool { rawValue >= Self.nodePut.rawValue }
}
