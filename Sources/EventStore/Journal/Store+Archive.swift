import RepriseLMDB
import RepriseObjectModel

extension Store {
  /// The nodes of a scene by key, folded or not, with what this process has appended so far; and what was wrong with
  /// the journals and rows that held them. O(nodes, and bytes of journals that are not folded).
  package func archive(
    of scene: String
  ) throws(StoreError) -> (nodes: [String: [UInt8]], problems: [JournalProblem]) {
    let recovery: JournalRecovery
    do throws(JournalError) {
      recovery = try journal.recovery()
    } catch {
      throw StoreError(error, path: path)
    }
    return try environment.read { (transaction) throws(StoreError) in
      do throws(LMDBError) {
        let (nodes, problems) = try recovery.nodes(scene, transaction.view)
        return (nodes, recovery.problems + problems)
      } catch {
        throw StoreError(error)
      }
    }
  }

  /// Whether there is a draft of this ID with edits, or with what can no longer be read. One that another process has
  /// open is that process's.
  package func hasUncommittedDraft(_ id: String) -> Bool {
    do throws(DraftError) {
      return try draft(id).map { !$0.changes.isEmpty } ?? false
    } catch {
      if case .unreadable = error { return true }
      return false
    }
  }
}

extension Store {
  /// Runs `body` where saves are written, after those that wait now: while it runs, this process changes nothing in the
  /// store's files but the end of its journal.
  package func betweenCommits<Success: Sendable>(
    _ body: @escaping @Sendable () -> Result<Success, StoreError>
  ) async throws(StoreError) -> Success {
    try await writer.perform(body).get()
  }
}
