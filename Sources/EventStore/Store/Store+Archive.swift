import RepriseLMDB
import RepriseObjectModel

/// What the archive of a scene has.
package struct SceneArchive: Sendable {
  package let nodes: SceneNodes
  /// What was wrong with the journals and rows that held it.
  package let problems: [JournalProblem]
}

extension Store {
  /// Takes a scene's archive for a restoration; false if one has it, here or in another process.
  package func claimScene(_ scene: String) throws(StoreError) -> Bool {
    do throws(JournalError) { return try journal.claim(.scene(scene)) } catch { throw storeError(error) }
  }

  package func releaseScene(_ scene: String) { journal.release(.scene(scene)) }

  /// The nodes of a scene, checkpointed or not, with what this process has appended so far. O(nodes, and bytes of
  /// journals that are not checkpointed).
  package func archive(of scene: String) throws(StoreError) -> SceneArchive {
    if journal.isClaimed(.scene(scene)).here { try takeOver(.scene(scene)) }
    let recovery: JournalRecovery
    do throws(JournalError) {
      recovery = try journal.recovery()
    } catch {
      throw StoreError(error, path: path)
    }
    let archive = try StoreError.converting { () throws(StorageError) in
      try environment.read { (transaction) throws(StorageError) in try recovery.archive(scene, transaction.view) }
    }
    return SceneArchive(nodes: archive.nodes, problems: recovery.problems + archive.problems)
  }

  /// Whether there is a draft of this ID with edits, or with what can no longer be read. One that another process has
  /// open is that process's. Writes nothing.
  package func hasUncommittedDraft(_ id: String) -> Bool {
    if journal.isClaimed(.draft(id)).elsewhere { return false }
    do throws(DraftError) {
      return try unclaimedDraft(id).map { !$0.changes.isEmpty } ?? false
    } catch {
      if case .unreadable = error { return true }
      return false
    }
  }
}

extension Store {
  /// Runs `body` where saves are written, after those that wait now: while it runs, this process changes nothing in the
  /// store's files but the end of its journal.
  package nonisolated(nonsending) func betweenCommits<Success: Sendable>(
    _ body: @escaping @Sendable () throws(StoreError) -> Success
  ) async throws(StoreError) -> Success {
    try await writer.perform(in: self, body)
  }
}
