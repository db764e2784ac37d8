import RepriseLog

/// One change of a draft or a scene, as recorded in the journal.
package enum JournalEntry: Sendable {
  /// A draft begins, or continues with another header. Its edits stay.
  case draftBegan(DraftHeader, generation: UInt64)
  /// `startsGroup` begins an undo group named `groupName`. Otherwise the edit joins the last group, if that has the
  /// same generation. The edits of a group all have its `reversal`.
  case draftEdited(
    draft: String, generation: UInt64, startsGroup: Bool, groupName: String?, reversal: Reversal? = nil, DraftEdit)
  /// The last group was undone.
  case draftUndone(draft: String)
  /// The group undone last was redone.
  case draftRedone(draft: String)
  /// The edits up to this generation were saved or discarded. The draft stays.
  case draftEmptied(draft: String, upTo: UInt64)
  case draftEnded(draft: String)
  /// The edits are now based on another position. The hash is as in ``DraftHeader/baseHash``.
  case draftRebased(draft: String, base: Position, hash: UInt64)
  /// The state of a node was added or replaced.
  case nodePut(scene: String, key: String, bytes: [UInt8])
  case nodeRemoved(scene: String, key: String)
  case sceneCleared(scene: String)
}

/// The first byte of an entry in the file. The code 8 is `JournalFormat.flushedKind`.
enum JournalEntryKind: UInt8, Sendable {
  case began = 1
  case edited = 2
  case undone = 3
  case redone = 4
  case emptied = 5
  case ended = 6
  case rebased = 7
  case nodePut = 9
  case nodeRemoved = 10
  case sceneCleared = 11

  var isOfScene: Bool { rawValue >= Self.nodePut.rawValue }
}
