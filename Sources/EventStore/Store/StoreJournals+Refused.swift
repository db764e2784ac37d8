import RepriseJournal
import RepriseLMDB
import RepriseLog
import RepriseObjectModel

extension StoreJournals {
  /// The problems of refused journals that have screens of a scene. Call it with a claimed scene, after
  /// ``takeOver(_:)``, which reads the folder.
  func screensLeftOut(of scene: JournalTopic) throws(StoreError) -> [JournalProblem] {
    try refusedJournals(about: scene).map { JournalProblem.screensLeftOut(scene: scene.name, file: $0.file) }
  }

  /// Marks entries in refused journals as done: those about a scene, and those about a draft without remaining edits.
  /// If such a journal is trusted later, its older entries then do not replace newer ones. Call it with a claimed topic
  /// before the topic is written.
  ///
  /// - Parameter withEdits: Whether to give up the unsaved edits of a draft, too, because the draft is about to end.
  package func forgetRefused(_ topic: JournalTopic, withEdits: Bool = false) throws(StoreError) {
    let (environment, journal) = (store.scenes.files.environment, store.scenes.journal)
    let journals = try refusedJournals(about: topic, withEdits: withEdits)
    if journals.isEmpty { return }
    try StoreError.converting { () throws(StorageError) in
      try environment.write(waiting: environment.briefWait) { (transaction) throws(StorageError) in
        try JournalMarks.setCheckpointedAlone(journals, topic, transaction, journal.tables.journals)
      }
    }
  }

  private func refusedJournals(
    about topic: JournalTopic, withEdits: Bool = false
  ) throws(StoreError) -> [JournalContent] {
    let (environment, journal) = (store.scenes.files.environment, store.scenes.journal)
    let refused = journal.refused
    if refused.isEmpty { return [] }
    let recovery = JournalRecovery([], journal.tables, journal.core.generations, refused: refused)
    return try StoreError.converting { () throws(StorageError) in
      try environment.read { (transaction) throws(StorageError) in
        try recovery.refusedJournals(about: topic, withEdits: withEdits, transaction.view)
      }
    }
  }
}
