import RepriseLog
import RepriseObjectModel

/// A problem found during recovery. Everything else was recovered.
package enum JournalProblem: Hashable, Sendable {
  /// The file has at most a header, and no frames. Whether it ever had any is unknown.
  case empty(file: String)
  /// The journal of another store. Left as it is.
  case foreignLog(file: String, log: UniqueID)
  /// The file's name does not match the journal in it. Left as it is.
  case misnamed(file: String, journal: UniqueID)
  /// A journal of a newer version of the library. Left as it is.
  case newerFormat(file: String, version: UInt32)
  /// A version of the library before 0.1 wrote it, in another format. It is left as it is.
  case prereleaseFormat(file: String)
  /// It is not a file of this user, or it can be written by users who may not write saved data. It is left as it is.
  case notPrivate(file: String)
  /// A link, a folder or a device. Left as it is.
  case notPlain(file: String)
  /// This user may not open the file. Left as it is.
  case notPermitted(file: String)
  case unreadableFile(file: String, errno: Int32)
  /// Screens of a scene are in a journal that is not read, and the scene goes on without them.
  case screensLeftOut(scene: String, file: String)
  /// The header is damaged. The frames were read.
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
  /// The draft is based on saves that are lost: a power cut destroyed them, or the store was restored from an older
  /// copy.
  case baseLost(draft: String, base: Position, end: Position)
  /// The draft is based on a different transaction than the log has at that position. The store was restored from an
  /// older copy, and then saved again.
  case baseReplaced(draft: String, base: Position)
  /// Earlier edits of a text were lost, so the later ones were placed approximately.
  case approximateText(draft: String, object: UniqueID)
  /// The text that these edits refer to was lost to damage. They are left out.
  case textLost(draft: String, object: UniqueID)
  /// This process's models cannot read the draft, which stays.
  case unreadableDraft(draft: String, reason: String)
  /// Undo stops at a point, because of damage or because this process's models cannot read the steps beyond it.
  case undoCutShort(draft: String, reason: String)
  case damagedRow(table: String, reason: String)
  /// This process's models lack a property that the draft changes. The value stays until the draft is saved or
  /// discarded.
  case valueLeftOut(draft: String, object: UniqueID, property: String, value: String)
  /// The draft was typed before an attribute got another type, and the value cannot be converted. It stays until the
  /// draft is saved or discarded.
  case valueUnconverted(draft: String, object: UniqueID, property: String, value: String, reason: String)
  /// This process's models lack the entity of an object that the draft changes. The values stay until the draft is
  /// saved or discarded.
  case objectLeftOut(draft: String, object: UniqueID, entity: String, values: String)
  /// The draft changes an object that a migration has moved to another entity since. The change stays until the draft
  /// is saved or discarded.
  case objectMoved(draft: String, object: UniqueID, entity: String, values: String, target: String)
  /// The draft points a relationship at such an object. The value stays until the draft is saved or discarded.
  case targetMoved(draft: String, object: UniqueID, property: String, moved: UniqueID, target: String)
  /// The number of further values that are left out for one of these reasons.
  case moreLeftOut(draft: String, count: Int)
  /// Rows of a checkpointed draft are missing: its header counts more than there are.
  case rowsLost(draft: String, count: Int)
  /// A checkpointed draft has more rows than its header counts.
  case strayRows(draft: String, count: Int)
  /// The header of a checkpointed draft is stored under the key of another one.
  case headerMisplaced(draft: String)
  /// Rows of a checkpointed draft have lost their header, and with it the ID. The hash is the one of the ID.
  case headerMissing(hash: String)
  /// The archive of a scene has screens, but no record of the scene itself.
  case sceneInfoMissing(scene: String)
  /// The archive of a scene has fewer screens than its record counts.
  case screensMissing(scene: String, count: Int)
  /// The archive of a scene has a screen, but not the screen above it.
  case parentMissing(scene: String, screen: String, parent: String)
}

extension JournalProblem {
  /// Whether the problem is no loss: a program with other models can read the draft.
  package var isOfModels: Bool { if case .unreadableDraft = self { true } else { false } }

  /// Whether it is about a value that no migration could convert.
  package var isUnconverted: Bool { if case .valueUnconverted = self { true } else { false } }
}

extension JournalProblem: CustomStringConvertible {
  private static let compare = "Check its drafts before you save them."
  private static let otherModels =
    "If a lost transaction changed the schema, an edit may be in the wrong property now."
  private static let compareDraft = "Check the draft before you save it."

  package var description: String {
    switch self {
    case .empty(let file):
      "The journal \(file) is empty. If it had edits, they are lost. Check the drafts before you save them."
    case .foreignLog(let file, let log):
      "The journal \(file) belongs to another store (log \(log)), and is kept. Move it to the folder 'journals' of "
        + "that store."
    case .misnamed(let file, let journal):
      "The journal \(file) is a copy of the journal \(journal), and is not read. If the folder lacks the journal "
        + "\(journal), give the copy its name. Otherwise remove the copy."
    case .newerFormat(let file, let version):
      "The journal \(file) has format \(version), which is newer than this library, and is kept. Open the store with a "
        + "newer version of the program."
    case .prereleaseFormat(let file):
      "The journal \(file) was written by a version of Reprise before 0.1, and is kept. Open the store with that "
        + "version, or remove the file."
    case .notPrivate(let file):
      "The journal \(file) is not read, and is kept: other users may write it, or it belongs to another user. If you "
        + "trust it, make this user its owner (chown), let no other user write it (chmod go-w), and open the store "
        + "again."
    case .notPlain(let file):
      "The journal \(file) is not read: it is a link, a folder or a device. Move it away. If it is a link to a "
        + "journal, put the journal itself in its place."
    case .notPermitted(let file):
      "The journal \(file) is not read: this user may not open it. If it belongs to another user of the store, leave "
        + "it. Otherwise make this user its owner (chown), let this user read and write it (chmod u+rw), and open the "
        + "store again."
    case .unreadableFile(let file, let code):
      "The journal \(file) cannot be read (\(systemText(code))), and is kept. Check the disk, and open the store again."
    case .screensLeftOut(let scene, let file):
      "The journal \(file) has screens of the scene '\(scene)', and is not read: other users may write it, or it "
        + "belongs to another user. The scene continues without these screens, and they do not come back later. Open "
        + "them again in the program."
    case .damagedHeader(let file):
      "The header of the journal \(file) is damaged, but its edits were read. After the next checkpoint, the file "
        + "stays in 'journals' with the suffix .damaged. \(Self.compare)"
    case .damagedFrames(let file, let count, let ranges):
      "\(count) bytes in \(ranges) places of the journal \(file) are damaged. The rest was read. After the next "
        + "checkpoint, the file stays in 'journals' with the suffix .damaged. \(Self.compare)"
    case .cutShort(let file, let count):
      "The journal \(file) was cut short by a power cut, and \(count) groups of later edits were left out. After the "
        + "next checkpoint, the file stays in 'journals' with the suffix .damaged. Make the last edits in its drafts "
        + "again."
    case .malformedEntry(let file, let frame, let reason):
      "An entry (an edit or the state of a screen) in group \(frame) of the journal \(file) cannot be read: \(reason). "
        + "The entry was left out. \(Self.compare)"
    case .headerLost(let draft):
      "The draft '\(draft)' has lost its header, which names the draft's parent and the transaction that its edits are "
        + "based on. The draft still has its edits. \(Self.compareDraft)"
    case .baseLost(let draft, let base, let end):
      "The draft '\(draft)' is based on transaction \(base), and the log ends with transaction \(end). A power cut "
        + "destroyed the later saves, or the store was restored from an older copy. \(Self.otherModels) "
        + Self.compareDraft
    case .baseReplaced(let draft, let base):
      "The draft '\(draft)' is based on a transaction \(base) that the log has lost. The store was restored from an "
        + "older copy, and then saved another transaction \(base). The draft still has its edits. \(Self.otherModels) "
        + Self.compareDraft
    case .approximateText(let draft, let object):
      "In the draft '\(draft)', edits of a text of the object \(object) were lost, so later edits may be in "
        + "the wrong place. \(Self.compareDraft)"
    case .textLost(let draft, let object):
      "In the draft '\(draft)', edits of a text of the object \(object) were left out, because the text that "
        + "they change was lost. \(Self.compareDraft)"
    case .unreadableDraft(let draft, let reason):
      "The draft '\(draft)' cannot be read, and the store keeps it: \(reason)."
    case .undoCutShort(let draft, let reason):
      "Undo or redo in the draft '\(draft)' cannot reach all of its steps: \(reason). The present state of the draft "
        + "is complete. To return to the saved values, discard the draft."
    case .valueLeftOut(let draft, let object, let property, let value):
      "The draft '\(draft)' gives \(property) of \(object) the value \(value), and no model has \(property). The value "
        + "is left out. A program with that property finds the value until the draft is saved or discarded."
    case .valueUnconverted(let draft, let object, let property, let value, let reason):
      "The draft '\(draft)' gives \(property) of \(object) the value \(value), which cannot be converted to the "
        + "present type: \(reason). The value is left out. Assign a value of the present type, then save or discard "
        + "the draft."
    case .objectLeftOut(let draft, let object, let entity, let values):
      "The draft '\(draft)' changes \(entity) \(object)\(values), and no model has \(entity). The change is left out. "
        + "A program with that model finds the change until the draft is saved or discarded."
    case .objectMoved(let draft, let object, let entity, let values, let target):
      "The draft '\(draft)' changes \(entity) \(object)\(values), and a migration has moved this object to \(target). "
        + "The change is left out. Make the change again in \(target), then save or discard the draft."
    case .targetMoved(let draft, let object, let property, let moved, let target):
      "The draft '\(draft)' sets \(property) of \(object) to \(moved), and a migration has moved \(moved) to the "
        + "entity \(target). The value is left out. Assign the moved object or another one, then save or "
        + "discard the draft."
    case .moreLeftOut(let draft, let count):
      "The draft '\(draft)' has \(count) more values that its context leaves out. No model has their properties, or a "
        + "migration changed their types or moved their objects. To use the values, open the draft with a program that "
        + "has these properties. A save or a discard of the draft removes them."
    case .damagedRow(let table, let reason):
      "A row of the table \(table) is damaged: \(reason). Verify the store with `StoreMaintenance.verify(_:)`."
    case .rowsLost(let draft, let count):
      "The draft '\(draft)' has lost \(count) of its rows in the store, so changes or undo steps may be missing. "
        + Self.compareDraft
    case .strayRows(let draft, let count):
      "The draft '\(draft)' has \(count) rows in the store that its header does not count, so some changes may belong "
        + "to another draft. \(Self.compareDraft)"
    case .headerMisplaced(let draft):
      "The header of the draft '\(draft)' is stored under the key of another draft. The draft still has its edits. "
        + Self.compareDraft
    case .headerMissing(let hash):
      "A draft has lost its header, and with it its ID. Only the hash of the ID is known: \(hash). The draft "
        + "still has its edits. If you know the ID, resume the draft with `makeChild(draft:)` or `RootContext`."
    case .sceneInfoMissing(let scene):
      "The archive of the scene '\(scene)' has lost the record of the scene itself, which lists the drafts of closed "
        + "screens. Look for these drafts in `store.drafts`."
    case .screensMissing(let scene, let count):
      "The archive of the scene '\(scene)' has lost \(count) of its screens. Open these screens again."
    case .parentMissing(let scene, let screen, let parent):
      "The archive of the scene '\(scene)' has the screen '\(screen)', but has lost the screen '\(parent)' above it, "
        + "so neither can be restored. Open both screens again."
    }
  }
}
