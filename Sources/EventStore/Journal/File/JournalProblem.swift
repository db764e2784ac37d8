import RepriseObjectModel

/// A problem found during recovery. Everything else was recovered.
package enum JournalProblem: Hashable, Sendable {
  /// The file has at most a header, and no frames. Whether it ever had any is unknown.
  case empty(file: String)
  /// The journal of another store; left as it is.
  case foreignLog(file: String, log: UniqueID)
  /// The file's name does not match the journal in it; left as it is.
  case misnamed(file: String, journal: UniqueID)
  /// A journal of a newer version of the library; left as it is.
  case newerFormat(file: String, version: UInt32)
  /// A version of the library before 0.1 wrote it, in a format of its own; left as it is.
  case prereleaseFormat(file: String)
  /// Not a file of this user, or users may write it who may not write what is saved; left as it is.
  case notPrivate(file: String)
  /// A link, a folder or a device; left as it is.
  case notPlain(file: String)
  /// This user may not open the file; left as it is.
  case notPermitted(file: String)
  case unreadableFile(file: String, errno: Int32)
  /// Screens of a scene are in a journal that is not read, and the scene goes on without them.
  case screensLeftOut(scene: String, file: String)
  /// The header is damaged; the frames were read.
  case damagedHeader(file: String)
  /// Bytes before valid frames are damaged. The file is set aside.
  case damagedFrames(file: String, byteCount: Int, ranges: Int)
  /// A power cut took unflushed bytes and left frames that were written after them. Those are left out, and the file is
  /// set aside.
  case cutShort(file: String, frames: Int)
  /// A valid frame holds an entry that cannot be read.
  case malformedEntry(file: String, frame: UInt64, reason: String)
  /// A draft's header was lost to damage: its parent and base are unknown.
  case headerLost(draft: String)
  /// The draft rests on saves that are lost: a power cut took them, or the store was restored from an older copy.
  case baseLost(draft: String, base: Position, end: Position)
  /// The draft rests on another transaction than the log has at that position: the store was restored from an older
  /// copy, and went on.
  case baseReplaced(draft: String, base: Position)
  /// Earlier edits of a text were lost, so the later ones were placed approximately.
  case approximateText(draft: String, object: UniqueID)
  /// The text that these edits refer to was lost to damage. They are left out.
  case textLost(draft: String, object: UniqueID)
  /// This process's models cannot read the draft. It is kept.
  case unreadableDraft(draft: String, reason: String)
  /// Undo stops at a point, because of damage or because this process's models cannot read the steps beyond it.
  case undoCutShort(draft: String, reason: String)
  case damagedRow(table: String, reason: String)
  /// This process's models lack a property that the draft changes. The value is kept until the draft is saved or
  /// discarded.
  case valueLeftOut(draft: String, object: UniqueID, property: String, value: String)
  /// This process's models lack the entity of an object that the draft changes. The values are kept likewise.
  case objectLeftOut(draft: String, object: UniqueID, entity: String, values: String)
  /// How many more of these there are.
  case moreLeftOut(draft: String, count: Int)
  /// Rows of a checkpointed draft are missing: its header counts more than there are.
  case rowsLost(draft: String, count: Int)
  /// A checkpointed draft has more rows than its header counts.
  case strayRows(draft: String, count: Int)
  /// The header of a checkpointed draft stands under the key of another one.
  case headerMisplaced(draft: String)
  /// Rows of a checkpointed draft have lost their header, and with it the ID. The hash is the one of the ID.
  case headerMissing(hash: String)
}

extension JournalProblem {
  /// Whether nothing is lost, and other models can read it.
  var isOfModels: Bool { if case .unreadableDraft = self { true } else { false } }
}

extension JournalProblem: CustomStringConvertible {
  package var description: String {
    switch self {
    case .empty(let file): "The journal \(file) is empty."
    case .foreignLog(let file, let log):
      "The journal \(file) belongs to another store (log \(log)). It is left as it is; move it to the folder "
        + "'journals' of that store."
    case .misnamed(let file, let journal):
      "The journal \(file) is a copy of \(journal). It is left as it is; give it back that name, or remove it."
    case .newerFormat(let file, let version):
      "The journal \(file) has the format \(version), newer than this library. It is left as it is; open the store "
        + "with a newer version of the program."
    case .prereleaseFormat(let file):
      "The journal \(file) was written by a version of Reprise before 0.1. It is left as it is; open the store with "
        + "that version, or remove the file."
    case .notPrivate(let file):
      "The journal \(file) is not read, and is kept: other users may write it, or it belongs to another user. If you "
        + "trust it, take it (chown), forbid others to write it (chmod go-w), and open the store again."
    case .notPlain(let file):
      "The journal \(file) is not read: it is a link, a folder or a device. Move it away. If it stands for a journal, "
        + "put that file in its place."
    case .notPermitted(let file):
      "The journal \(file) is not read: this user may not open it. If it belongs to another user of the store, leave "
        + "it. Otherwise take it (chown), allow yourself to read and write it (chmod u+rw), and open the store again."
    case .unreadableFile(let file, let code):
      "The journal \(file) cannot be read (\(systemText(code))). It is left as it is; check the disk, and open the "
        + "store again."
    case .screensLeftOut(let scene, let file):
      "The journal \(file) has screens of the scene '\(scene)', and is not read: other users may write it, or it "
        + "belongs to another user. The scene goes on without these screens, and once it is written, trusting the "
        + "journal does not bring them back. Open them again."
    case .damagedHeader(let file):
      "The header of the journal \(file) is damaged. Its frames were read, and a checkpoint keeps the file with the "
        + "suffix .damaged. Compare its drafts with what you remember before you save them."
    case .damagedFrames(let file, let count, let ranges):
      "\(count) bytes in \(ranges) places of the journal \(file) are damaged. The rest was read, and a checkpoint "
        + "keeps the file with the suffix .damaged. Compare its drafts with what you remember before you save them."
    case .cutShort(let file, let count):
      "The journal \(file) was cut short by the loss of power. \(count) frames behind a gap were left out, and a "
        + "checkpoint keeps the file with the suffix .damaged. Make the last edits in its drafts again."
    case .malformedEntry(let file, let frame, let reason):
      "An entry in frame \(frame) of the journal \(file) cannot be read: \(reason). It was left out. Compare the "
        + "journal's drafts with what you remember before you save them."
    case .headerLost(let draft): "The draft '\(draft)' has lost its parent and its base. Its edits are there."
    case .baseLost(let draft, let base, let end):
      "The draft '\(draft)' rests on saves up to \(base), and the log ends at \(end)."
    case .baseReplaced(let draft, let base):
      "The draft '\(draft)' rests on another transaction \(base) than the log has, as the store was restored from an "
        + "older copy. Its edits are there; compare it with what you remember before you save it."
    case .approximateText(let draft, let object):
      "In the draft '\(draft)', edits of a text of \(object) were lost; those after them may stand in the wrong place."
    case .textLost(let draft, let object):
      "In the draft '\(draft)', edits of a text of \(object) were lost with what they rest on."
    case .unreadableDraft(let draft, let reason):
      "The draft '\(draft)' cannot be read: \(reason). It is kept."
    case .undoCutShort(let draft, let reason): "Undo in the draft '\(draft)' does not reach its beginning: \(reason)."
    case .valueLeftOut(let draft, let object, let property, let value):
      "The draft '\(draft)' gives \(property) of \(object) the value \(value), and no model has \(property). The value "
        + "is left out. A program with that property finds it until the draft is saved or discarded."
    case .objectLeftOut(let draft, let object, let entity, let values):
      "The draft '\(draft)' changes \(entity) \(object)\(values), and no model has \(entity). The change is left out. "
        + "A program with that model finds it until the draft is saved or discarded."
    case .moreLeftOut(let draft, let count):
      "The draft '\(draft)' has \(count) more values that are left out, as no model has their properties."
    case .damagedRow(let table, let reason): "A row of the table \(table) is damaged: \(reason)."
    case .rowsLost(let draft, let count):
      "The draft '\(draft)' has lost \(count) of its rows in the store. Changes may be missing, or steps of its undo; "
        + "compare it with what you remember before you save it."
    case .strayRows(let draft, let count):
      "The draft '\(draft)' has \(count) rows in the store that its header does not count. Changes in it may be of "
        + "another draft; compare it with what you remember before you save it."
    case .headerMisplaced(let draft):
      "The header of the draft '\(draft)' stands under the key of another draft. Its edits are there."
    case .headerMissing(let hash):
      "A draft has lost its header, and with it its ID. Its edits are there: make a context with that ID. Its hash is "
        + "\(hash)."
    }
  }
}
