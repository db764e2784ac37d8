import RepriseLMDB
import RepriseObjectModel

/// The journals that this process holds, as they were when it was asked for: with the folded rows, all there is of
/// drafts and scenes.
///
/// Take it first and the read transaction then: what is folded meanwhile is in the rows, and not counted twice. Nothing
/// is read of a draft or a scene until it is asked for.
package struct JournalRecovery: Sendable {
  let journals: [Part]
  let tables: StoreTables
  let generations: GenerationCounter
  /// Of the files; those of drafts come with them.
  package let problems: [JournalProblem]

  struct Part: Sendable {
    let scan: JournalScan
    let index: JournalIndex
    var file: String { JournalFolder.name(scan.journal) }
  }

  init(
    _ journals: [Part], _ tables: StoreTables, _ generations: GenerationCounter, problems: [JournalProblem] = []
  ) {
    self.journals = journals
    self.tables = tables
    self.generations = generations
    self.problems = problems + journals.flatMap(\.index.problems)
  }

  // MARK: Drafts

  /// The drafts that began and did not end.
  package func draftIDs(_ view: View) throws(LMDBError) -> (ids: Set<String>, problems: [JournalProblem]) {
    var (ids, problems) = try DraftRows.ids(view, tables.drafts)
    for id in Set(journals.flatMap(\.index.drafts.keys)) {
      for found in try entries([:], view, { $0.drafts[id] }) {
        switch found.entry.kind {
        case .began, .edited: ids.insert(id)
        case .ended: ids.remove(id)
        default: break
        }
      }
    }
    return (ids, problems)
  }

  /// One draft, or `nil` if there is none; O(its edits that are not folded, and its size).
  package func draft(
    _ id: String, _ view: View, _ map: SchemaMap
  ) throws(LMDBError) -> (draft: RecoveredDraft, problems: [JournalProblem])? {
    let rows = try rows(id, view)
    guard rows.state.exists else { return nil }
    generations.note(rows.state.generation)
    let problems = rows.problems + rows.state.problems
    do throws(MalformedBytes) {
      return (.readable(try rows.state.image(map)), problems)
    } catch {
      let reason = "expected \(error.expected)"
      let unreadable = JournalProblem.unreadableDraft(draft: id, reason: reason)
      return (.unreadable(rows.state.header, reason: reason), problems + [unreadable])
    }
  }

  /// The folded rows, with the state that the journals make of them.
  func rows(_ id: String, _ view: View) throws(LMDBError) -> DraftRows {
    var rows = try DraftRows(id, view, tables.drafts)
    let entries = try entries(rows.folded, view) { $0.drafts[id] }
    rows.state.expected = min(entries.count, 4_096)
    for found in entries {
      rows.state.apply(found.entry, in: journals[found.journal].scan)
    }
    let consumed = try JournalMarks.consumed(id, view, tables.journals)
    rows.state.layers.removeAll { layer in
      layer.journals.contains { layer.generation <= consumed[$0] ?? 0 }
    }
    for generation in consumed.values where rows.state.exists { rows.state.passed(generation) }
    if rows.state.exists, !rows.state.hasHeader { rows.state.problems.append(.headerLost(draft: id)) }
    return rows
  }

  // MARK: Scenes

  package func scenes(_ view: View) throws(LMDBError) -> Set<String> {
    var scenes = try ArchiveRows.scenes(view, tables.archives)
    for journal in journals { scenes.formUnion(journal.index.scenes.keys) }
    return scenes
  }

  /// The nodes of a scene, folded or not; none if there is no such scene.
  func archive(_ scene: String, _ view: View, keepsRows: Bool = false) throws(LMDBError) -> ArchiveRows {
    var archive = try ArchiveRows(scene, view, tables.archives, keepsRows: keepsRows)
    let entries = try entries([:], view) { $0.scenes[scene] }
    archive.nodes.reserve(entries.count, byteCount: entries.reduce(0) { $0 + $1.entry.body.count })
    for found in entries {
      let problem = journals[found.journal].scan.bytes.withUnsafeBytes { bytes in
        archive.nodes.apply(found.entry.kind, UnsafeRawBufferPointer(rebasing: bytes[found.entry.body]))
      }
      guard let problem else { continue }
      let file = journals[found.journal].file
      archive.problems.append(.malformedEntry(file: file, frame: found.entry.frame, reason: problem.description))
    }
    archive.nodes.settle()
    return archive
  }

  private struct Found {
    /// Which of the journals.
    let journal: Int
    let entry: JournalIndex.Entry
  }

  /// What is not folded yet, in the order in which it happened, whichever journal it stands in.
  private func entries(
    _ folded: [UniqueID: UInt64], _ view: View, _ list: (JournalIndex) -> [JournalIndex.Entry]?
  ) throws(LMDBError) -> [Found] {
    var found: [Found] = []
    var sources = 0
    for (place, part) in journals.enumerated() {
      guard let entries = list(part.index) else { continue }
      let journal = part.scan.journal
      let last = max(try JournalMarks.lastFolded(journal, view, tables.journals), folded[journal] ?? 0)
      let fresh = entries.drop { $0.frame <= last }
      if !fresh.isEmpty { sources += 1 }
      found.reserveCapacity(found.count + fresh.count)
      for entry in fresh { found.append(Found(journal: place, entry: entry)) }
    }
    // Times grow within a journal, so one alone is in order.
    guard sources > 1 else { return found }
    return found.enumerated().sorted { left, right in
      left.element.entry.time != right.element.entry.time
        ? left.element.entry.time < right.element.entry.time : left.offset < right.offset
    }.map(\.element)
  }

  // MARK: All

  /// Everything at once; O(all of it).
  package func image(_ view: View, _ map: SchemaMap) throws(LMDBError) -> JournalImage {
    var image = JournalImage()
    let (ids, damage) = try draftIDs(view)
    image.problems = problems + damage
    for id in ids.sorted() {
      guard let (draft, problems) = try draft(id, view, map) else { continue }
      image.problems += problems
      switch draft {
      case .readable(let it): image.drafts[id] = it
      case .unreadable(let header, _): image.unreadable[id] = header
      }
    }
    for scene in try scenes(view).sorted() {
      let archive = try archive(scene, view)
      image.problems += archive.problems
      if !archive.nodes.isEmpty { image.scenes[scene] = archive.nodes.byKey }
    }
    return image
  }
}
