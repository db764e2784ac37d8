import RepriseJournal
import RepriseLMDB

/// Makes the archives of a new store whole without the rows that are lost.
struct SceneRepair {
  /// The lost rows that other rows need or count.
  private(set) var problems: [JournalProblem] = []
  /// How many screens were removed, because the screens above them are lost.
  private(set) var removed = 0

  init(_ table: Table, _ transaction: borrowing WriteTransaction) throws(StorageError) {
    var checks: [SceneRowCheck] = []
    var scene: [UInt8] = []
    try JournalRow.scan(transaction.view, table, prefix: []) { key, value in
      if checks.isEmpty || !key.prefix(ArchiveRows.sceneSize).elementsEqual(scene) {
        scene = [UInt8](key.prefix(ArchiveRows.sceneSize))
        checks.append(SceneRowCheck())
      }
      _ = checks[checks.count - 1].add(key, value)
      return true
    }
    for check in checks {
      problems += check.problems
      let orphans = check.orphans
      for key in orphans { try JournalRow.replace(key, with: nil, transaction, table) }
      removed += orphans.count
      if let info = check.repairedInfo { try JournalRow.replace(info.key, with: info.value, transaction, table) }
    }
  }
}
