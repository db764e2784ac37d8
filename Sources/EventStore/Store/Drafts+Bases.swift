import RepriseJournal
import RepriseLMDB
import RepriseLog
import RepriseObjectModel

// A draft knows the transaction that it rests on by its hash: a store that was restored from an older copy, and went
// on, has another one at that position.

extension Drafts {
  /// What a draft that rests on a position notes of it: see ``DraftHeader/baseHash``. Most often it is that of the
  /// head, which is known; else it costs a look at a row of the log.
  package func baseHash(at position: Position) -> UInt64 {
    if let known = knownHash(at: position) { return known }
    let found = try? store.environment.read { (transaction) throws(StorageError) in
      try hash(ofBase: position, transaction.view)
    }
    return found.flatMap { $0 } ?? 0
  }

  /// Why a draft does not rest on this log; `nil` if it does, or if that cannot be told any more.
  func baseProblem(of header: DraftHeader, _ view: View) throws(StorageError) -> JournalProblem? {
    guard let hash = try hash(ofBase: header.base, view) else {
      let end = try store.files.log.lastPosition(view)
      return header.base > end ? .baseLost(draft: header.id, base: header.base, end: end) : nil
    }
    if header.baseHash == 0 || header.baseHash == hash { return nil }
    return .baseReplaced(draft: header.id, base: header.base)
  }

  /// `nil` if the log does not have the transaction, or has it no more.
  private func hash(ofBase position: Position, _ view: View) throws(StorageError) -> UInt64? {
    if let known = knownHash(at: position) { return known }
    var hash = try store.files.log.hashPrefix(at: position, view)
    if hash == nil, let floor = try MetaTable(store.tables.meta).floor(view), floor.position == position + 1 {
      hash = floor.record.hash.words.0
    }
    if let hash { knowHash(hash, at: position) }
    return hash
  }

  private func knownHash(at position: Position) -> UInt64? {
    if position == 0 { return 0 }
    if let last = store.writer.lastCommit.withLock({ $0 }), last.head.position == position {
      return last.head.hash.words.0
    }
    return store.memory.withLock { $0.base == position ? $0.baseHash : nil }
  }

  /// Keeps the first bytes of the hash of a transaction, until those of another one are kept.
  func knowHash(_ hash: UInt64, at position: Position) {
    store.memory.withLock { ($0.base, $0.baseHash) = (position, hash) }
  }
}
