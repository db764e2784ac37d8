import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// A checkpoint of one draft or scene into the tables, from all journals with entries about it, of every process.
///
/// Other processes will checkpoint the journals that they hold, or go on writing them, so the frames are marked as
/// checkpointed for this topic only.
package struct TopicCheckpoint: Sendable {
  private let topic: JournalTopic
  private let recovery: JournalRecovery
  private let folder: JournalFolder
  /// The conversions for a draft from before a migration.
  private let conversion: DraftConversion?

  init(
    _ topic: JournalTopic, _ recovery: JournalRecovery, _ folder: JournalFolder, _ conversion: DraftConversion? = nil
  ) {
    self.topic = topic
    self.recovery = recovery
    self.folder = folder
    self.conversion = conversion
  }

  package func write(into transaction: borrowing WriteTransaction) throws(StorageError) {
    // A journal whose file is gone was checkpointed after it was read. No other process can checkpoint while this
    // transaction is open.
    let present = recovery.keeping { folder.has($0.journal) }
    try present.write(topic, through: conversion, transaction)
    let journals = present.journals.filter { topic.entries($0.index) != nil }
    try JournalMarks.setCheckpointedAlone(journals, topic, transaction, recovery.tables.journals)
  }
}

extension JournalRecovery {
  /// Replaces the topic's rows by their state after the journals are replayed.
  ///
  /// - Parameter checkpointed: The journals that are checkpointed in full, with their last frames. The checkpoint after
  ///   an abandoned one then starts where the rows are.
  func write(
    _ topic: JournalTopic, checkpointing checkpointed: [UniqueID: UInt64] = [:],
    through conversion: DraftConversion? = nil,
    _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    if topic.isDraft {
      var rows = try rows(topic, transaction.view)
      if let conversion { try convert(&rows.state, conversion, transaction) }
      let after = rows.newRows(checkpointed: checkpointed.isEmpty ? rows.checkpointed : checkpointed)
      try JournalRow.replace(rows.rows + rows.damagedRows, with: after, transaction, tables.drafts)
    } else {
      let image = try scene(topic, transaction.view)
      if image.uncheckpointed.isCleared {
        try image.rows.replace(with: try image.all(transaction.view).nodes, transaction)
      } else {
        try image.rows.apply(image.uncheckpointed.nodes, transaction)
      }
    }
  }

  /// Leaves a draft that cannot be converted as it is.
  private func convert(
    _ state: inout DraftReplay, _ conversion: DraftConversion, _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    var conversion = conversion
    guard let found = try? conversion.converted(state) else { return }
    state = found
    if conversion.blobs.isEmpty { return }
    let table = try BlobTable(tables, transaction.view)
    for (blob, bytes) in conversion.blobs where !(try table.has(blob, transaction.view)) {
      try table.bring(blob, bytes, transaction)
    }
  }
}
