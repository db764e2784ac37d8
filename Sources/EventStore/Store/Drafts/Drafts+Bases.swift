import RepriseJournal
import RepriseLMDB
import RepriseLog
import RepriseObjectModel

// A draft records the hash of the transaction that it is based on. If a store is restored from an older copy and then
// written to, it has another transaction at that position, and the hashes differ.

extension Drafts {
  /// The hash that a draft records of its base. See ``DraftHeader/baseHash``. The hash of the head is in memory, and
  /// another one costs a look at a row of the log.
  package func baseHash(at position: Position) -> UInt64 {
    if let known = knownHash(at: position) { return known }
    let found = try? store.environment.read { (transaction) throws(StorageError) in
      try hash(ofBase: position, transaction.view)
    }
    return found.flatMap { $0 } ?? 0
  }

  /// The reason why a draft does not rest on this log. `nil` if it does, or if the log no longer has the base.
  func baseProblem(of header: DraftHeader, _ view: View) throws(StorageError) -> JournalProblem? {
    guard let hash = try hash(ofBase: header.base, view) else {
      let end = try store.files.log.lastPosition(view)
      return header.base > end ? .baseLost(draft: header.id, base: header.base, end: end) : nil
    }
    if header.baseHash == 0 || header.baseHash == hash { return nil }
    return .baseReplaced(draft: header.id, base: header.base)
  }

  /// The first bytes of the hash of a draft's base. `nil` if the log does not have the transaction, or no longer has
  /// it.
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

  /// Keeps the first bytes of one transaction's hash, the last one that was asked for.
  func knowHash(_ hash: UInt64, at position: Position) {
    store.memory.withLock { ($0.base, $0.baseHash) = (position, hash) }
  }
}
