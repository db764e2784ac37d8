import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// A checkpoint of journals into the tables, in slices, so that none occupies the writer for long.
///
/// Write each slice in a write transaction and call ``didCommit()`` once it is committed, until ``isDone``. Then call
/// ``Journal/didCheckpoint(_:)``. An uncommitted slice may be written again in another transaction. A crash between any
/// two steps neither loses nor duplicates an entry.
package struct JournalCheckpoint: Sendable {
  let journals: [HeldJournal]
  private let recovery: JournalRecovery
  /// The journals of other living processes. If two journals have entries about one draft, the earlier must not be
  /// checkpointed after the later.
  private let others: [JournalContent]
  private let folder: JournalFolder
  private var slices: [[Unit]] = []

  private enum Unit: Sendable {
    case topic(JournalTopic)
    /// Marks the journals as checkpointed in full.
    case end
  }

  init(
    _ journals: [HeldJournal], _ recovery: JournalRecovery, others: [JournalContent], _ folder: JournalFolder,
    sliceSize: Int
  ) {
    self.journals = journals
    self.recovery = recovery
    self.others = others
    self.folder = folder
    let sizes = Self.sizes(journals, \.drafts, JournalTopic.draft) + Self.sizes(journals, \.scenes, JournalTopic.scene)
    var slice: [Unit] = []
    var sum = 0
    for (topic, size) in sizes {
      if sum + size > sliceSize, !slice.isEmpty {
        slices.append(slice)
        slice = []
        sum = 0
      }
      slice.append(.topic(topic))
      sum += size
    }
    slices.append(slice + [.end])
    slices.reverse()
  }

  private static func sizes(
    _ journals: [HeldJournal], _ topics: (JournalIndex) -> JournalIndex.Topics, _ topic: (String) -> JournalTopic
  ) -> [(JournalTopic, Int)] {
    var sizes: [String: Int] = [:]
    for journal in journals {
      let topics = topics(journal.index)
      for name in topics.names {
        sizes[name, default: 0] += (topics[name] ?? []).reduce(0) { $0 + $1.body.count }
      }
    }
    return sizes.heapSorted { $0.key < $1.key }.map { (topic($0.key), $0.value) }
  }

  package var isDone: Bool { slices.isEmpty }

  /// Writes the next slice, if there is one.
  package func write(into transaction: borrowing WriteTransaction) throws(StorageError) {
    for unit in slices.last ?? [] {
      switch unit {
      case .topic(let topic): try write(topic, transaction)
      case .end:
        let table = recovery.tables.journals
        for journal in journals {
          try JournalMarks.setLastCheckpointed(journal.scan.lastNumber, journal.journal, transaction, table)
        }
        // If the folder cannot be read, all marks stay. The folder is flushed first, because a journal that comes back
        // after a power cut must still have its mark.
        if let present = try? folder.journals(), (try? folder.synchronize()) != nil {
          try JournalMarks.forget(Set(journals.map(\.journal)), present: Set(present), transaction, table)
        }
      }
    }
  }

  /// To be called once the slice is committed.
  package mutating func didCommit() { _ = slices.popLast() }

  private func write(_ topic: JournalTopic, _ transaction: borrowing WriteTransaction) throws(StorageError) {
    let others = others.filter { topic.entries($0.index) != nil }
    if !others.isEmpty {
      return try TopicCheckpoint(topic, recovery.adding(others), folder).write(into: transaction)
    }
    var checkpointed: [UniqueID: UInt64] = [:]
    for journal in journals { checkpointed[journal.journal] = journal.scan.lastNumber }
    try recovery.write(topic, checkpointing: checkpointed, transaction)
  }
}
