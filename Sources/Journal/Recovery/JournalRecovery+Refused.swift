import RepriseLMDB
import RepriseLog
import RepriseObjectModel

// A refused journal may be trusted later, and its frames are then read like all frames. New entries about a draft or a
// scene could not be ordered after them. So a draft with edits in a refused journal is unreadable. Otherwise the frames
// are marked as done before anything new is written.

extension JournalRecovery {
  /// The refused journals with entries about a topic. They must be marked as done before the topic is written again.
  ///
  /// - Parameter withEdits: Whether to give up edits of a draft, too. Otherwise a draft that has any in these journals
  ///   has none to be marked.
  package func refusedJournals(
    about topic: JournalTopic, withEdits: Bool, _ view: View
  ) throws(StorageError) -> [JournalContent] {
    if topic.isDraft, !withEdits, try !refusedEdits(of: topic, view).isEmpty { return [] }
    let runs = try refusedEntries(of: topic, view)
    return refused.filter { journal in runs.contains { $0.journal === journal } }
  }

  /// The entries about a draft in refused journals, unless all edits are saved or discarded and the tables have none.
  func refusedEdits(of draft: JournalTopic, _ view: View) throws(StorageError) -> [JournalRun] {
    let runs = try refusedEntries(of: draft, view)
    if runs.isEmpty { return [] }
    var rows = try DraftRows(draft, view, tables.drafts)
    rows.state.apply(runs, try JournalMarks.consumed(draft, view, tables.journals))
    return rows.isEmpty && rows.state.isEmpty ? [] : runs
  }

  private func refusedEntries(of topic: JournalTopic, _ view: View) throws(StorageError) -> [JournalRun] {
    if refused.isEmpty { return [] }
    return try JournalRecovery(refused, tables, generations).uncheckpointed(of: topic, view)
  }
}
