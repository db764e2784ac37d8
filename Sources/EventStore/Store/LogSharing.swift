import RepriseJournal
import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// The log that a store shares with other machines.
package protocol LogSharing: SharedAppending {
  /// Begins to share the log of the store, or checks that the store shares it. Called while the store is opened.
  func begin(_ store: SharedStore) throws(StoreError)

  /// The store is open from now on.
  func didOpen(_ store: Store)

  /// Blocks the thread until the store has had all packets once, or does not get them soon.
  ///
  /// A process may have been killed after its packet was appended, and before the store had it. The packet ends the
  /// drafts that it has saved, so it must come before they are resumed.
  func waitForPackets()

  /// The opening of the store at a path has failed, so its files are closed.
  func stop(_ path: String)

  /// The store is being closed, and no writer uses it any more.
  func end() async

  /// Calls ``LogWriter/append(_:to:through:unless:joinedBy:)``. A requirement, so that only programs that share a log
  /// link its code.
  func commit(
    _ requests: inout [SaveRequest], to store: Store, unless isCancelled: (Int, inout [SaveRequest]) -> Bool,
    joinedBy late: () -> [SaveRequest]
  ) throws(SaveFailure) -> [Result<AppendedSave, AppendRefusal>]
}
