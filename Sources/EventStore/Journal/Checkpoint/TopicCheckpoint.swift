import RepriseLMDB
import RepriseObjectModel

/// One draft or scene on its way into the tables, out of all journals that speak of it, whoever holds them.
///
/// Journals that others hold are checkpointed by them too, or go on growing: that these frames are in the tables is
/// said of the topic alone.
package struct TopicCheckpoint: Sendable {
  private let topic: JournalTopic
  private let recovery: JournalRecovery
  private let folder: JournalFolder

  init(_ topic: JournalTopic, _ recovery: JournalRecovery, _ folder: JournalFolder) {
    self.topic = topic
    self.recovery = recovery
    self.folder = folder
  }

  package func write(into transaction: borrowing WriteTransaction) throws(StorageError) {
    // One whose file is gone was checkpointed since it was read; and while this transaction is open, nobody
    // checkpoints.
    let present = recovery.keeping { folder.has($0.journal) }
    try present.write(topic, transaction)
    var frames = try JournalMarks.checkpointedAlone(topic, transaction.view, recovery.tables.journals)
    for journal in present.journals where topic.entries(journal.index) != nil {
      frames[journal.journal] = max(frames[journal.journal] ?? 0, journal.scan.lastNumber)
    }
    try JournalMarks.setCheckpointedAlone(frames, topic, transaction, recovery.tables.journals)
  }
}

extension JournalRecovery {
  /// Makes the topic's rows what the journals say.
  ///
  /// - Parameter checkpointed: The journals that all of is being checkpointed, with their last frames: a checkpoint
  ///   that is given up halfway begins where the rows are.
  func write(
    _ topic: JournalTopic, checkpointing checkpointed: [UniqueID: UInt64] = [:],
    _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    switch topic {
    case .draft(let id):
      let rows = try rows(id, transaction.view)
      let after = DraftRows.rows(rows.state, checkpointed: checkpointed.isEmpty ? rows.checkpointed : checkpointed)
      try JournalRow.replace(rows.rows, with: after, transaction, tables.drafts)
    case .scene(let scene):
      let archive = try archive(scene, transaction.view, keepsRows: true)
      let rows = ArchiveRows.rows(scene, archive.nodes)
      try JournalRow.replace(archive.rows, with: rows, transaction, tables.archives)
    }
  }
}
