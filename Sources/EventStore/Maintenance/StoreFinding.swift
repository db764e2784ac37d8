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
      "The hash of transaction \(position) does not match its content and the transaction before it"
    case .otherLog(let log, let opened): "The store has the ID of the log \(log), and was opened with the log \(opened)"
    case .identity(let reason): "The format or the ID of the log cannot be read: \(reason)"
    case .recordedBeginning(let reason): "The recorded beginning of the log cannot be read: \(reason)"
    case .recordedEnd(let reason): "The recorded end of the log cannot be read: \(reason)"
    case .end(let reason): "The end of the log cannot be found: \(reason)"
    case .unsavedTransactions(let last, let saved):
      "The log goes on to transaction \(last), but the store recorded transaction \(saved) as the last one"
    case .lostTransactions(let last, let saved):
      "The log ends with transaction \(last), but the store recorded transaction \(saved) as the last one"
    case .otherLastTransaction(let position):
      "Transaction \(position), the last of the log, has another hash than the store recorded when it saved the "
        + "transaction"
    case .keptOfOtherLog(let log): "The hash that you kept is of another log, \(log)"
    case .keptOther(let position): "Transaction \(position) has another hash than the one that you kept"
    case .keptBeforeBeginning(let position, let first):
      "The hash that you kept is of transaction \(position), and the log begins with transaction \(first). It can no "
        + "longer be compared. Keep a newer one"
    case .keptAfterEnd(let position, let last):
      "The hash that you kept is of transaction \(position), and the log ends with transaction \(last)"
    case .unreadableSchema(let reason): "The stored schema cannot be read: \(reason)"
    case .otherSchema: "The stored schema differs from the schema in the log"
    case .otherReplica(let stored, let log):
      "The stored ID of this copy of the log is \(stored.map(\.description) ?? "missing"), and the ID in the log is "
        + (log.map(\.description) ?? "missing")
    case .nameCount(let log, let stored):
      "The log has \(log) names of authors, contexts and transactions, and the count that the store recorded is "
        + (stored?.description ?? "missing")
    case .droppedNames(let first):
      "The names of authors, contexts and transactions from before transaction \(first) do not match the digest of the "
        + "dropped part of the log"
    case .name(let name, let number):
      "The name '\(name)' of an author, a context or a transaction has the number \(number) in the log, and not in the "
        + "store"
    case .clock(let positions):
      "According to the log, the clock was set back at the transactions "
        + "[\(positions.map(\.description).joined(separator: ", "))], but the store recorded other transactions"
    case .greatestID: "The log has a UUID that is greater than the greatest one that the store recorded"
    case .sortOrder: "The indexes have a sort order that this version of the library does not have"
    case .localeOrder(let locale): "The indexes in the order of '\(locale)' were sorted with another version of ICU"
    case .strayMigration: "The store has the state of a running migration, but the log has no such migration"
    case .unreadEntry(let entry): "The store has \(entry), which nothing reads"
    case .table(let table, let reason): "The table '\(table)' cannot be read to its end: \(reason)"
    case .row(let table, let problem, let key): "The table '\(table)' has \(problem), with the key \(hexadecimal(key))"
    case .longRow(let table, let byteCount, let limit):
      "The table '\(table)' has a row of \(byteCount) bytes, and a row has at most \(limit)"
    case .unreadableKey(let table): "The table '\(table)' has a row with an unreadable key"
    case .event(let position, let object, let reason):
      "Transaction \(position) cannot be applied to the object \(object): \(reason)"
    case .value(let position, let object, let problem): "Transaction \(position) gives the object \(object) \(problem)"
    case .versions(let object, let position, let reason):
      "The versions of the object \(object) before transaction \(position) contradict the log: \(reason)"
    case .keyframe(let position, let object):
      "The keyframe of the object \(object) in transaction \(position) differs from the sum of its events"
    case .record(let object, let reason): "The record of \(object) is damaged: \(reason)"
    case .otherRecord(let object): "The record of \(object) differs from the sum of its events"
    case .recordNotInLog(let object):
      "The store has a record of \(object), and no transaction of the log has this object"
    case .missingRecord(let object): "The log has the object \(object), and the table 'objects' does not"
    case .truncatedObjects(let position):
      "The objects before transaction \(position) do not match the digest of the dropped part of the log"
    case .count(let entity, let objects, let recorded):
      "\(entity) has \(counted(objects, "object")), and the count that the store recorded is \(recorded)"
    case .unreadableCount(let entity, let objects, let reason):
      "\(entity) has \(counted(objects, "object")), and the count that the store recorded cannot be read: \(reason)"
    case .longValue(let object, let property):
      "The value of property \(property) of the object \(object) does not match its digest"
    case .longValueRows(let table, let rows, let used):
      "The table '\(table)' has \(counted(rows, "row")), and \(used) belong to objects"
    case .index(let name, let reason): "The index over \(name) is damaged: \(reason)"
    case .missingIndexRow(let name, let object): "The index over \(name) lacks a row for \(object)"
    case .indexRows(let name, let rows, let expected):
      "The index over \(name) has \(counted(rows, "row")) instead of \(expected)"
    case .history(let name, let reason): "The history of the index over \(name) is damaged: \(reason)"
    case .brokenRule(let violation): "A rule is broken: \(violation)"
    case .strayIndex(let number): "The table 'indexes' has rows of the index \(number), which the schema does not have"
    case .strayLevel(let index, let level):
      "The index \(index) has rows on level \(level), but its tree cannot have this level"
    case .blob(let blob, let reason): "The \(blob) is damaged: \(reason)"
    case .blobRow(let digest, let reason): "The row of the blob \(digest) is damaged: \(reason)"
    case .chunksAfterEnd(let blob, let chunks): "The \(blob) has \(counted(chunks, "chunk")) after its end"
    case .missingBlob(let blob): "The log refers to the \(blob), which the store does not have"
    case .missingUnusedBlob(let digest): "The blob \(digest) is marked as unused, and the store does not have it"
    case .strayChunks(let upload): "The chunks of the upload \(upload) belong to no blob"
    case .sharedProjectionNumber: "Two projections have the same number in the table 'projections'"
    case .strayProjectionRows(let number):
      "The table 'projections' has rows with the number \(number), which belong to no projection"
    case .projectionAhead(let name, let position, let last):
      "The projection '\(name)' has processed transaction \(position), and the log ends with transaction \(last)"
    case .projectionKeys(let name, let rows):
      "The projection '\(name)' has \(counted(rows, "row")) with unreadable keys"
    case .otherProjectionRows(let name, let wrong, let missing):
      "The projection '\(name)' has \(counted(wrong, "row")) that did not come from the log, and lacks \(missing)"
    case .failedProjection(let error): Self.sentence(error.description)
    case .journal(let problem): Self.sentence(problem.description)
    case .cutFile(let byteCount, let expected):
      "The file was cut: it has \(byteCount) bytes, and the last save needs \(expected). The new store may lack the "
        + "last saves"
    case .damagedMetaPage:
      "A meta page is damaged. If the last save wrote it, drafts and screens are from before that save. The new store "
        + "may contain a save that did not finish"
    case .unlistedJournals(let error): "No journal was copied. \(Self.sentence(error.description))"
    case .unreadJournal(let error): Self.sentence(error.description)
    case .refusedJournal(let name):
      "The journal \(name) was not copied: other users may write it, it belongs to another user, or it is not a plain "
        + "file. If you trust it, make this user its owner (chown), let no other user write it (chmod go-w), and "
        + "salvage again"
    case .damagedJournal(let id): "The journal \(id) was not copied, because its header is damaged"
    case .damagedRows(let count):
      "\(counted(count, "row")) of drafts and screens \(count == 1 ? "is" : "are") damaged, and not in the new store"
    case .lostBlob(let blob): "The \(blob) is lost, because bytes of it are missing"
    case .leftOut(let range):
      "The new log begins after transaction \(range.upperBound), because transactions up to this one change a lost "
        + "object"
    case .lostValue(let object, let property):
      "The value of property \(property) of the object \(object) is lost, because parts of it are missing"
    case .lostChange(let position, let object):
      "The change of the object \(object) by transaction \(position) is lost, because earlier changes are missing"
    case .lostSchema(let objects, let values):
      "Changes of the schema are lost. The new store lacks \(counted(objects, "object")) and "
        + "\(counted(values, "value")), because the names of their entities and properties are lost"
    case .lostSchemaChanges: "Changes of the schema may be lost. The content of the new store does not need them"
    case .removedRule(let violation): "\(violation). The new store does not have this rule"
    }
  }

  private static func sentence(_ text: String) -> String { text.hasSuffix(".") ? String(text.dropLast()) : text }
}
