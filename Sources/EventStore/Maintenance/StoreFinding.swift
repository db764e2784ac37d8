import RepriseObjectModel

/// A finding of a verification or a salvage. Its text has the place and the damage, and the report adds the next step.
package enum StoreFinding: Sendable {
  // The log.
  case transaction(Position, reason: String)
  case missingTransactions(ClosedRange<Position>)
  case otherPredecessor(Position)
  case otherLog(UniqueID, opened: UniqueID)
  case identity(reason: String)
  case recordedBeginning(reason: String)
  case recordedEnd(reason: String)
  case end(reason: String)
  case unsavedTransactions(last: Position, saved: Position)
  case lostTransactions(last: Position, saved: Position)
  case otherLastTransaction(Position)
  case keptOfOtherLog(UniqueID)
  case keptOther(Position)
  case keptBeforeBeginning(Position, first: Position)
  case keptAfterEnd(Position, last: Position)
  // The metadata.
  case unreadableSchema(reason: String)
  case otherSchema
  case otherReplica(UniqueID?, log: UniqueID?)
  case nameCount(log: UInt32, stored: UInt32?)
  case droppedNames(first: Position)
  case name(String, number: UInt32)
  case clock([Position])
  case greatestID
  case sortOrder
  case localeOrder(String)
  case strayMigration
  case unreadEntry(String)
  // Tables.
  case table(String, reason: String)
  case row(table: String, problem: String, key: [UInt8])
  case longRow(table: String, byteCount: Int, limit: Int)
  case unreadableKey(table: String)
  // Objects.
  case event(Position, object: UniqueID, reason: String)
  case value(Position, object: UniqueID, problem: String)
  case versions(object: UniqueID, before: Position, reason: String)
  case keyframe(Position, object: UniqueID)
  case record(UniqueID, reason: String)
  case otherRecord(UniqueID)
  case recordNotInLog(UniqueID)
  case missingRecord(UniqueID)
  case truncatedObjects(before: Position)
  case count(entity: String, objects: Int, recorded: Int)
  case unreadableCount(entity: String, objects: Int, reason: String)
  case longValue(object: UniqueID, property: UInt32)
  case longValueRows(table: String, rows: Int, used: Int)
  // Indexes.
  case index(String, reason: String)
  case missingIndexRow(index: String, object: UniqueID)
  case indexRows(index: String, rows: Int, expected: Int)
  case history(String, reason: String)
  case brokenRule(RuleViolation)
  case strayIndex(UInt32)
  case strayLevel(index: UInt32, level: UInt8)
  // Blobs.
  case blob(Blob, reason: String)
  case blobRow(Digest, reason: String)
  case chunksAfterEnd(Blob, chunks: Int)
  case missingBlob(Blob)
  case missingUnusedBlob(Digest)
  case strayChunks(upload: UniqueID)
  // Projections, drafts and screens.
  case sharedProjectionNumber
  case strayProjectionRows(number: UInt32)
  case projectionAhead(name: String, Position, last: Position)
  case projectionKeys(name: String, rows: Int)
  case otherProjectionRows(name: String, wrong: Int, missing: Int)
  case failedProjection(ProjectionError)
  case journal(JournalProblem)
  // Losses of a salvage.
  case cutFile(byteCount: Int, expected: Int)
  case damagedMetaPage
  case unlistedJournals(JournalError)
  case unreadJournal(JournalError)
  case refusedJournal(String)
  case damagedJournal(UniqueID)
  case damagedRows(Int)
  case orphanedScreens(Int)
  case lostBlob(Blob)
  case leftOut(ClosedRange<Position>)
  case lostValue(object: UniqueID, property: UInt32)
  case lostChange(Position, object: UniqueID)
  case lostSchema(objects: Int, values: Int)
  case lostSchemaChanges
  case removedRule(RuleViolation)
}

extension StoreFinding: CustomStringConvertible {
  package var description: String { text + "." }

  /// The text without its last full stop, as the reason in an error.
  var text: String {
    switch self {
    case .transaction(let position, let reason): "Transaction \(position) cannot be read: \(reason)"
    case .missingTransactions(let range):
      range.count == 1
        ? "Transaction \(range.lowerBound) is missing"
        : "The transactions \(range.lowerBound) to \(range.upperBound) are missing"
    case .otherPredecessor(let position):
      "The hash of transaction \(position) does not match its content and the hash of the transaction before it"
    case .otherLog(let log, let opened):
      "The ID of the log is \(log), but was \(opened) when the store was opened, so the file was replaced meanwhile. "
        + "Close the store in all processes, open it again, and verify it again"
    case .identity(let reason): "The format or the ID of the log cannot be read: \(reason)"
    case .recordedBeginning(let reason):
      "The entry that records where the log begins cannot be read: \(reason)"
    case .recordedEnd(let reason): "The entry that records where the log ends cannot be read: \(reason)"
    case .end(let reason): "The last transaction of the log cannot be found: \(reason)"
    case .unsavedTransactions(let last, let saved):
      "The log goes on to transaction \(last), but the store recorded transaction \(saved) as the last one"
    case .lostTransactions(let last, let saved):
      "The log ends with transaction \(last), but the store recorded transaction \(saved) as the last one"
    case .otherLastTransaction(let position):
      "Transaction \(position), the last of the log, does not have the hash that the store recorded when it saved the "
        + "transaction"
    case .keptOfOtherLog(let log):
      "The hash that you passed is of another log, \(log). Verify the store against a hash of this store"
    case .keptOther(let position):
      "Transaction \(position) does not have the hash that you passed. The log was changed or replaced since then, for "
        + "example by an older backup. Compare the store with your last backup"
    case .keptBeforeBeginning(let position, let first):
      "The hash that you passed is of transaction \(position), and the log begins with transaction \(first), so the "
        + "hash can no longer be compared. Keep the hash of a later transaction"
    case .keptAfterEnd(let position, let last):
      "The hash that you passed is of transaction \(position), and the log ends with transaction \(last). Compare the "
        + "store with your last backup"
    case .unreadableSchema(let reason): "The stored schema cannot be read: \(reason)"
    case .otherSchema: "The stored schema differs from the schema in the log"
    case .otherReplica(let stored, let log):
      "The ID of this copy of the log is \(stored.map(\.description) ?? "missing") in the table 'meta', and "
        + "\(log.map(\.description) ?? "missing") in the log"
    case .nameCount(let log, let stored):
      "The log has \(log) names of authors, contexts and transactions, and the count that the store recorded is "
        + (stored?.description ?? "missing")
    case .droppedNames(let first):
      "The names of authors, contexts and transactions before transaction \(first) do not match the checksum that the "
        + "store recorded for them"
    case .name(let name, let number):
      "In the log, the name '\(name)' of an author, a context or a transaction has the number \(number), which the "
        + "store's list of names lacks"
    case .clock(let positions):
      "According to the log, the clock was set back at the transactions "
        + "[\(positions.map(\.description).joined(separator: ", "))], but the store recorded other transactions"
    case .greatestID: "The log has a UUID that is greater than the greatest UUID that the store recorded"
    case .sortOrder: "The indexes have a sort order that this version of the library does not have"
    case .localeOrder(let locale): "The indexes in the order of '\(locale)' were sorted with another version of ICU"
    case .strayMigration: "The store has the state of a running migration, but the log has no such migration"
    case .unreadEntry(let entry): "The store has \(entry), which nothing reads"
    case .table(let table, let reason): "The table '\(table)' is damaged: \(reason)"
    case .row(let table, let problem, let key): "The table '\(table)' has \(problem) (key \(hexadecimal(key)))"
    case .longRow(let table, let byteCount, let limit):
      "The table '\(table)' has a row of \(byteCount) bytes, but a row may have at most \(limit) bytes"
    case .unreadableKey(let table): "The table '\(table)' has a row with an unreadable key"
    case .event(let position, let object, let reason):
      "Transaction \(position) cannot be applied to the object \(object): \(reason)"
    case .value(let position, let object, let problem): "Transaction \(position) gives the object \(object) \(problem)"
    case .versions(let object, let position, let reason):
      "The state of the object \(object) before transaction \(position) contradicts the log: \(reason)"
    case .keyframe(let position, let object):
      "The copy of the object \(object) that transaction \(position) contains differs from the result of the object's "
        + "events"
    case .record(let object, let reason): "The stored object \(object) is damaged: \(reason)"
    case .otherRecord(let object): "The stored object \(object) differs from the result of its events in the log"
    case .recordNotInLog(let object):
      "The store has the object \(object), but no transaction of the log does"
    case .missingRecord(let object): "The log has the object \(object), but the table 'objects' does not"
    case .truncatedObjects(let position):
      "When `retain` deleted the log before transaction \(position), it recorded a checksum of all objects at that "
        + "point. The stored objects, with all later changes reverted, do not match this checksum"
    case .count(let entity, let objects, let recorded):
      "\(entity) has \(counted(objects, "object")), and the count that the store recorded is \(recorded)"
    case .unreadableCount(let entity, let objects, let reason):
      "\(entity) has \(counted(objects, "object")), and the count that the store recorded cannot be read: \(reason)"
    case .longValue(let object, let property):
      "The value of the property with the number \(property) of the object \(object) does not match its checksum"
    case .longValueRows(let table, let rows, let used):
      "The table '\(table)' has \(counted(rows, "row")), and \(used) of them belong to objects"
    case .index(let name, let reason): "The index over \(name) is damaged: \(reason)"
    case .missingIndexRow(let name, let object): "The index over \(name) lacks a row for \(object)"
    case .indexRows(let name, let rows, let expected):
      "The index over \(name) has \(counted(rows, "row")) instead of \(expected)"
    case .history(let name, let reason): "The history of the index over \(name) is damaged: \(reason)"
    case .brokenRule(let violation): "A rule is broken: \(violation)"
    case .strayIndex(let number):
      "The table 'indexes' has rows of an index with the number \(number), which the schema does not have"
    case .strayLevel(let index, let level):
      "The index with the number \(index) has nodes on level \(level) of its tree, but a tree of its size does not "
        + "have this level"
    case .blob(let blob, let reason): "The \(blob) is damaged: \(reason)"
    case .blobRow(let digest, let reason): "The row of the blob with the SHA-256 \(digest) is damaged: \(reason)"
    case .chunksAfterEnd(let blob, let chunks): "The \(blob) has \(counted(chunks, "chunk")) after its end"
    case .missingBlob(let blob): "The log refers to the \(blob), which the store does not have"
    case .missingUnusedBlob(let digest):
      "The blob with the SHA-256 \(digest) is marked as unused, but the store does not have it"
    case .strayChunks(let upload): "The store has blob bytes from the upload \(upload) that belong to no blob"
    case .sharedProjectionNumber: "Two projections have the same number in the table 'projections'"
    case .strayProjectionRows(let number):
      "The table 'projections' has rows with the number \(number), which is the number of no projection"
    case .projectionAhead(let name, let position, let last):
      "The projection '\(name)' has processed transaction \(position), but the log ends with transaction \(last)"
    case .projectionKeys(let name, let rows):
      "The projection '\(name)' has \(counted(rows, "row")) with unreadable keys"
    case .otherProjectionRows(let name, let wrong, let missing):
      "The projection '\(name)' has \(counted(wrong, "row")) that did not come from the log, and lacks "
        + "\(counted(missing, "row"))"
    case .failedProjection(let error): Self.sentence(error.description)
    case .journal(let problem): Self.sentence(problem.description)
    case .cutFile(let byteCount, let expected):
      "The file was cut: it has \(byteCount) bytes, and the last save needs \(expected). The new store may lack the "
        + "last saves"
    case .damagedMetaPage:
      "One of the two meta pages is damaged. If the last save wrote this page, drafts and screens are from before that "
        + "save. The new store may contain a save that did not finish"
    case .unlistedJournals(let error):
      "No journal was copied, so the new store lacks the unsaved edits in them. \(Self.sentence(error.description))"
    case .unreadJournal(let error): Self.sentence(error.description)
    case .refusedJournal(let name):
      "The journal \(name) was not copied: other users may write it, it belongs to another user, or it is not a plain "
        + "file. If you trust it, make this user its owner (chown), let no other user write it (chmod go-w), and "
        + "salvage again"
    case .damagedJournal(let id):
      "The journal \(id), a file of uncommitted edits, was not copied, because its header is damaged"
    case .damagedRows(let count):
      "\(counted(count, "row")) of drafts and screens \(count == 1 ? "is" : "are") damaged, and not in the new store"
    case .orphanedScreens(let count):
      "\(counted(count, "screen")) of the old store \(count == 1 ? "is" : "are") not in the new store, because a "
        + "parent screen is lost"
    case .lostBlob(let blob): "The \(blob) is lost, because bytes of it are missing"
    case .leftOut(let range):
      "The new log begins after transaction \(range.upperBound), because transactions up to this one change an object "
        + "that is lost"
    case .lostValue(let object, let property):
      "The value of the property with the number \(property) of the object \(object) is lost, because parts of it are "
        + "missing"
    case .lostChange(let position, let object):
      "The change of the object \(object) by transaction \(position) is lost, because earlier changes are missing"
    case .lostSchema(let objects, let values):
      "Changes of the schema are lost. The new store lacks \(counted(objects, "object")) and "
        + "\(counted(values, "value")), because the names of their entities and properties are lost"
    case .lostSchemaChanges: "Changes of the schema may be lost. The content of the new store does not need them"
    case .removedRule(let violation): "The new store lacks a rule that an object breaks: \(violation)"
    }
  }

  private static func sentence(_ text: String) -> String { text.hasSuffix(".") ? String(text.dropLast()) : text }
}
