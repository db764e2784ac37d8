import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// Edits of a draft that a save has written to the log.
package struct ConsumedDraft: Sendable, Equatable {
  package let draft: JournalTopic
  /// The last generation of these edits.
  package let generation: UInt64
  /// The journals that may have the edits.
  package let journals: [UniqueID]

  package init(_ draft: JournalTopic, upTo generation: UInt64, in journals: [UniqueID]) {
    self.draft = draft
    self.generation = generation
    self.journals = journals
  }

  /// Records in the transaction of the save that the edits are in the log. So recovery never brings them back. The
  /// draft itself stays.
  package func write(_ tables: StoreTables, _ transaction: borrowing WriteTransaction) throws(StorageError) {
    try DraftRows.consume(draft, upTo: generation, transaction, tables.drafts)
    var consumed = try JournalMarks.consumed(draft, transaction.view, tables.journals)
    for journal in journals { consumed[journal] = max(consumed[journal] ?? 0, generation) }
    try JournalMarks.setConsumed(consumed, draft, transaction, tables.journals)
  }
}
