import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// A snapshot of the journals that this process holds. Together with the checkpointed rows it covers all drafts and
/// scenes.
///
/// Take it before the read transaction: frames checkpointed in between are then in the rows, and not counted twice.
/// Drafts and scenes are read lazily, on request.
package struct JournalRecovery: Sendable {
  let journals: [JournalContent]
  /// The journals that are not read, because other users may write them.
  let refused: [JournalContent]
  let tables: StoreTables
  let generations: GenerationCounter
  /// Problems of the files. Each draft reports its own.
  package let problems: [JournalProblem]

  package init(
    _ journals: [JournalContent], _ tables: StoreTables, _ generations: GenerationCounter,
    refused: [JournalContent] = [], problems: [JournalProblem] = []
  ) {
    self.journals = journals
    self.refused = refused
    self.tables = tables
    self.generations = generations
    let malformed = journals.flatMap(\.index.problems)
    if malformed.isEmpty {
      self.problems = problems
    } else {
      let known = Set(problems)
      self.problems = problems + malformed.filter { !known.contains($0) }
    }
  }

  func keeping(_ isWanted: (JournalContent) -> Bool) -> JournalRecovery {
    JournalRecovery(journals.filter(isWanted), tables, generations, refused: refused, problems: problems)
  }

  /// Adds journals of other processes. Meanwhile, another thread may have taken over some of these.
  package func adding(_ others: [JournalContent]) -> JournalRecovery {
    let unknown = others.filter { other in !journals.contains { $0.journal == other.journal } }
    return JournalRecovery(journals + unknown, tables, generations, refused: refused, problems: problems)
  }

  /// Whether any of these journals has entries about the topic that are not in the tables.
  func hasUncheckpointed(of topic: JournalTopic, in journals: Set<UniqueID>, _ view: View) throws(StorageError) -> Bool
  {
    try uncheckpointed(of: topic, view).contains { journals.contains($0.journal.journal) }
  }

  /// The entries about the topic that are not in the tables.
  func uncheckpointed(of topic: JournalTopic, _ view: View) throws(StorageError) -> [JournalRun] {
    var checkpointed: [UniqueID: UInt64] = [:]
    if topic.isDraft { checkpointed = try DraftHeaderRow(topic, view, tables.drafts)?.checkpointed ?? [:] }
    return try entries(topic, checkpointed, view)
  }

  // MARK: Drafts

  /// The drafts that have begun and not ended.
  package func draftIDs(_ view: View) throws(StorageError) -> (ids: Set<String>, problems: [JournalProblem]) {
    let found = try FoundDraftIDs(view, tables.drafts)
    var (ids, problems) = (found.ids, found.problems)
    for id in Set(journals.flatMap(\.index.drafts.names)) {
      for run in try entries(.draft(id), [:], view) {
        for entry in run.entries {
          switch entry.kind {
          case .began, .edited: ids.insert(id)
          case .ended: ids.remove(id)
          default: break
          }
        }
      }
    }
    for id in Set(refused.flatMap(\.index.drafts.names)) {
      if try !refusedEdits(of: .draft(id), view).isEmpty { ids.insert(id) }
    }
    return (ids, problems)
  }

  /// A draft, or `nil` if it does not exist. O(its edits that are not checkpointed). Without a source for later reads,
  /// also O(its checkpointed edits). A draft from before a migration is converted.
  ///
  /// - Parameter partly: Whether a draft that has something that the models lack is read without that.
  package func draft(
    _ draft: JournalTopic, _ view: View, _ map: SchemaMap, from source: DraftSource? = nil,
    _ conversion: DraftConversion? = nil, partly: Bool = false
  ) throws(StorageError) -> DraftFinding? {
    if let run = try refusedEdits(of: draft, view).first {
      let header = try DraftRows(draft, view, tables.drafts).state.header
      let reason =
        "it is in the journal \(run.journal.file), which other users may write, or which belongs to another user. If "
        + "you trust it, make this user its owner (chown), let no other user write it (chmod go-w), and open the store "
        + "again"
      let problem = JournalProblem.unreadableDraft(draft: draft.name, reason: reason)
      return DraftFinding(draft: .unreadable(header, reason: reason), problems: [problem])
    }
    if let source, let image = try unreadDraft(draft, view, map, source) {
      return DraftFinding(draft: .readable(image), problems: image.problems)
    }
    var rows = try DraftRows(draft, view, tables.drafts)
    let consumed = try JournalMarks.consumed(draft, view, tables.journals)
    let runs = try entries(draft, rows.checkpointed, view)
    rows.state.apply(runs, consumed)
    // Also for a draft that has ended. Otherwise, edits of a new draft with its ID could count as consumed.
    generations.note(rows.state.generation)
    guard rows.state.exists else { return nil }
    var problems = runs.compactMap(\.journal.damage) + rows.problems + rows.state.problems
    let moved = try MovedObjects(rows.state, map.stored, tables, view)
    do throws(MalformedBytes) {
      var image: DraftImage
      do throws(MalformedBytes) {
        guard moved.isEmpty else { throw MalformedBytes("unmoved objects", at: 0) }
        image = try rows.state.image(map)
      } catch {
        let found = try rows.state.readable(map, conversion, moved, partly: partly, error)
        image = try found.state.image(map)
        image.isConverted = found.isConverted
        problems += found.state.problems.dropFirst(rows.state.problems.count)
      }
      image.problems = problems
      return DraftFinding(draft: .readable(image), problems: problems)
    } catch {
      let reason =
        moved.isEmpty
        ? "the library looked for \(error.expected) in its edits, and found something else. Open the store with the "
          + "models that made the draft"
        : "a migration has moved its objects to other entities. Make its edits again in these entities, then discard "
          + "the draft"
      let unreadable = JournalProblem.unreadableDraft(draft: draft.name, reason: reason)
      return DraftFinding(draft: .unreadable(rows.state.header, reason: reason), problems: problems + [unreadable])
    }
  }

  /// The time of the last frame about a draft, in microseconds since 1970, and 0 if it is unknown. Also the size of its
  /// edits in bytes.
  package func measure(
    _ draft: JournalTopic, _ view: View
  ) throws(StorageError) -> (changedAt: UInt64, byteCount: Int) {
    let rows = try DraftRows(draft, view, tables.drafts)
    var (changedAt, byteCount) = (rows.state.changedAt, rows.rows.reduce(0) { $0 + $1.value.count })
    for run in try entries(draft, rows.checkpointed, view) {
      if let last = run.entries.last { changedAt = run.journal.time(of: last) }
      byteCount += run.entries.reduce(0) { $0 + $1.body.count }
    }
    return (changedAt, byteCount)
  }

  /// The checkpointed rows, and the state after the journals are replayed on them.
  package func rows(_ draft: JournalTopic, _ view: View) throws(StorageError) -> DraftRows {
    var rows = try DraftRows(draft, view, tables.drafts)
    let consumed = try JournalMarks.consumed(draft, view, tables.journals)
    rows.state.apply(try entries(draft, rows.checkpointed, view), consumed)
    return rows
  }

  // MARK: Scenes

  package func scenes(_ view: View) throws(StorageError) -> Set<String> {
    var scenes = try ArchiveRows.scenes(view, tables.archives)
    for journal in journals { scenes.formUnion(journal.index.scenes.names) }
    return scenes
  }

  /// The nodes of a scene, checkpointed or not. None if the scene does not exist.
  package func scene(_ scene: JournalTopic, _ view: View) throws(StorageError) -> SceneImage {
    SceneImage(
      rows: ArchiveRows(scene, tables.archives), uncheckpointed: UncheckpointedNodes(try entries(scene, [:], view)))
  }

  /// The entries that are not checkpointed yet, from all journals, in chronological order.
  func entries(
    _ topic: JournalTopic, _ checkpointed: [UniqueID: UInt64], _ view: View
  ) throws(StorageError) -> [JournalRun] {
    var runs: [JournalRun] = []
    var alone: [UniqueID: UInt64]?
    for journal in journals {
      guard let entries = topic.entries(journal.index) else { continue }
      let checkpointedAlone =
        if let alone { alone } else { try JournalMarks.checkpointedAlone(topic, view, tables.journals) }
      alone = checkpointedAlone
      let last = max(
        try JournalMarks.lastCheckpointed(journal.journal, view, tables.journals), checkpointed[journal.journal] ?? 0,
        checkpointedAlone[journal.journal] ?? 0)
      let fresh = entries.drop { journal.number(of: $0) <= last }
      if !fresh.isEmpty { runs.append(JournalRun(journal: journal, entries: fresh)) }
    }
    // Times ascend within a journal, so a single run is already in order.
    return runs.count > 1 ? JournalRun.merged(runs) : runs
  }
}
