import RepriseLMDB
import RepriseObjectModel

/// Journals on their way into the tables, slice by slice, so that no slice holds the writer for long.
///
/// Write a slice in a write transaction, say so when it is committed, and go on until done; then hand it back to the
/// journal. A slice may be written again, in another transaction, as long as it was not committed. A crash between any
/// two steps loses nothing and doubles nothing.
package struct JournalFold: Sendable {
  let journals: [HeldJournal]
  private let recovery: JournalRecovery
  private let present: Set<UniqueID>
  private var slices: [[Unit]] = []

  private enum Unit: Sendable {
    case draft(String)
    case scene(String)
    /// Says that all is done.
    case end
  }

  init(_ journals: [HeldJournal], _ recovery: JournalRecovery, present: Set<UniqueID>, sliceSize: Int) {
    self.journals = journals
    self.recovery = recovery
    self.present = present
    var sizes: [(unit: Unit, size: Int)] = []
    for (id, size) in Self.sizes(journals, \.drafts) { sizes.append((.draft(id), size)) }
    for (scene, size) in Self.sizes(journals, \.scenes) { sizes.append((.scene(scene), size)) }
    var slice: [Unit] = []
    var sum = 0
    for (unit, size) in sizes {
      if sum + size > sliceSize, !slice.isEmpty {
        slices.append(slice)
        slice = []
        sum = 0
      }
      slice.append(unit)
      sum += size
    }
    slices.append(slice + [.end])
    slices.reverse()
  }

  private static func sizes(
    _ journals: [HeldJournal], _ topics: (JournalIndex) -> JournalIndex.Topics
  ) -> [(String, Int)] {
    var sizes: [String: Int] = [:]
    for journal in journals {
      let topics = topics(journal.index)
      for name in topics.names {
        sizes[name, default: 0] += (topics[name] ?? []).reduce(0) { $0 + $1.body.count }
      }
    }
    return sizes.sorted { $0.key < $1.key }
  }

  package var isDone: Bool { slices.isEmpty }

  /// Writes the next slice; nothing if there is none.
  package func write(into transaction: borrowing WriteTransaction) throws(LMDBError) {
    for unit in slices.last ?? [] {
      switch unit {
      case .draft(let id): try write(draft: id, transaction)
      case .scene(let scene): try write(scene: scene, transaction)
      case .end:
        let tables = recovery.tables
        for journal in journals {
          try JournalMarks.setLastFolded(journal.scan.lastNumber, journal.journal, transaction, tables.journals)
        }
        try JournalMarks.forget(Set(journals.map(\.journal)), present: present, transaction, tables.journals)
      }
    }
  }

  /// The slice is committed.
  package mutating func didCommit() { _ = slices.popLast() }

  private func write(draft id: String, _ transaction: borrowing WriteTransaction) throws(LMDBError) {
    let rows = try recovery.rows(id, transaction.view)
    var folded: [UniqueID: UInt64] = [:]
    for journal in journals { folded[journal.journal] = journal.scan.lastNumber }
    let after = DraftRows.rows(rows.state, folded: folded)
    try JournalRow.replace(rows.rows, with: after, transaction, recovery.tables.drafts)
  }

  private func write(scene: String, _ transaction: borrowing WriteTransaction) throws(LMDBError) {
    let archive = try recovery.archive(scene, transaction.view, keepsRows: true)
    let rows = ArchiveRows.rows(scene, archive.nodes)
    try JournalRow.replace(archive.rows, with: rows, transaction, recovery.tables.archives)
  }
}
