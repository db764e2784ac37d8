import RepriseEventStore
import RepriseObjectModel

extension EditingContext {
  /// The objects that make saves throw, because they could not be read.
  var unreadable: [AnyObjectID: StoreError] {
    if failedReads.isEmpty, refusedEdits.isEmpty, hiddenRows.isEmpty { return [:] }
    return failedReads.merging(refusedEdits) { error, _ in error }.merging(hiddenRows) { error, _ in error }
  }

  /// Marks the live instances of objects whose deletion this context saved.
  func noteDeletions(_ ids: some Sequence<AnyObjectID>) {
    for id in ids { liveInstance(of: id)?._storage.wasDeletedByHost() }
  }

  /// Makes unreadable objects be read again, here and in the contexts above.
  func forgetFaults() {
    let unread = Array(failedReads.keys) + misreads.keys
    failedReads = [:]
    forgetRefusals()
    misreads = [:]
    invalidate(unread)
    for child in liveChildren { child.forgetFaults() }
  }

  /// Forgets all refused edits.
  func forgetRefusals() {
    refusedEdits = [:]
    if hiddenRows.isEmpty { return }
    hiddenRows = [:]
    knownRows = nil
    didChange()
  }

  func invalidateInChildren(_ ids: some Sequence<AnyObjectID>) {
    for child in liveChildren {
      child.invalidate(ids)
      child.invalidateInChildren(ids)
      child.didChange()
    }
  }

  /// Used when too much has changed below to invalidate objects one by one.
  func invalidateAllHereAndInChildren() {
    invalidateAll()
    for child in liveChildren {
      child.invalidateAllHereAndInChildren()
      child.didChange()
    }
  }
}
