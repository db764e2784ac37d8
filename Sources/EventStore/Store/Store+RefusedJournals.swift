import RepriseLMDB
import RepriseObjectModel

extension Store {
  /// Marks as done the entries about a scene in refused journals, and the entries about a draft of which nothing is
  /// left. If such a journal is trusted later, its older entries do not replace newer ones. Call it with a claimed
  /// topic, after ``takeOver(_:)``, which looks at the folder.
  ///
  /// - Parameter withEdits: Whether to give up unsaved edits of a draft, too, which is about to end.
  /// - Returns: The screens that were given up.
  @discardableResult
  func forgetRefused(_ topic: JournalTopic, withEdits: Bool = false) throws(StoreError) -> [JournalProblem] {
    let (environment, journal) = (sceneFiles.environment, sceneJournal)
    let refused = journal.refused
    if refused.isEmpty { return [] }
    let recovery = JournalRecovery([], journal.tables, journal.core.generations, refused: refused)
    let journals = try StoreError.converting { () throws(StorageError) in
      try environment.read { (transaction) throws(StorageError) in
        try recovery.refusedJournals(about: topic, withEdits: withEdits, transaction.view)
      }
    }
    if journals.isEmpty { return [] }
    try StoreError.converting { () throws(StorageError) in
      try environment.write(waiting: environment.briefWait) { (transaction) throws(StorageError) in
        try JournalMarks.setCheckpointedAlone(journals, topic, transaction, journal.tables.journals)
      }
    }
    guard case .scene(let scene) = topic else { return [] }
    return journals.map { JournalProblem.screensLeftOut(scene: scene, file: $0.file) }
  }
}
