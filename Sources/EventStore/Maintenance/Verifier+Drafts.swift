import RepriseJournal
import RepriseLMDB
import RepriseLog
import RepriseObjectModel

extension Verifier {
  /// Verifies that each checkpointed draft has the rows that its header counts, and that each row can be read to its
  /// end.
  mutating func verifyDrafts(_ view: View) throws(StorageError) {
    let table = store.tables.drafts
    try verifyRows(of: table, ChunkCheck("drafts", numbersFirst: true, keySize: DraftRowKind.keySize), view)
    let listed = try FoundDraftIDs(view, table)
    for problem in listed.problems { found(.journal(problem)) }
    for id in listed.ids.sorted() {
      let rows = try DraftRows(.draft(id), view, table)
      for problem in rows.problems + rows.damagedEdits { found(.journal(problem)) }
      if !rows.hasHeader { found(.journal(.headerLost(draft: id))) }
    }
  }

  /// Verifies that each node of a checkpointed scene can be read, and is stored under its own key. No node may be
  /// missing that another one needs or counts.
  mutating func verifyScenes(_ view: View) throws(StorageError) {
    let table = store.tables.archives
    try verifyRows(of: table, ChunkCheck("archives", numbersFirst: true) { _ in ArchiveRows.keySize }, view)
    var problems: [JournalProblem] = []
    var (scene, check) = ([UInt8](), SceneRowCheck())
    try JournalRow.scan(view, table, prefix: []) { key, value in
      if !key.prefix(ArchiveRows.sceneSize).elementsEqual(scene) {
        problems += check.problems
        (scene, check) = ([UInt8](key.prefix(ArchiveRows.sceneSize)), SceneRowCheck())
      }
      if let problem = check.add(key, value) { problems.append(.damagedRow(table: table.name, reason: problem)) }
      return problems.count < 100
    }
    for problem in problems + check.problems { found(.journal(problem)) }
  }

  /// Verifies the form of the marks of journals.
  mutating func verifyMarks(_ view: View) throws(StorageError) {
    var problems: [StoreFinding] = []
    var cursor = try view.cursor(store.tables.journals)
    while let row = try cursor.next(), problems.count < 100 {
      let (key, size) = (row.key.withUnsafeBytes { [UInt8]($0) }, row.value.byteCount)
      if !JournalMarks.isMark(key, size) {
        problems.append(.row(table: "journals", problem: "a row of no known form", key: key))
      }
    }
    for problem in problems { found(problem) }
  }
}

extension DraftRows {
  /// The groups with steps that cannot be read to their end.
  fileprivate var damagedEdits: [JournalProblem] {
    state.bytes.lend { lent in
      var problems: [JournalProblem] = []
      for group in state.layers.flatMap({ $0.groups + $0.redo }) {
        do throws(MalformedBytes) {
          for place in group.steps { try DraftStep(lent[place]).verify() }
        } catch {
          problems.append(.undoCutShort(draft: state.header.id, reason: error.description))
        }
      }
      return problems
    }
  }
}
