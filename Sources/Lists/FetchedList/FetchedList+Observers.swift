import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery

extension FetchedList {
  /// Calls `body` with each batch, in the context's isolation, until the observation ends.
  ///
  /// Observers are called in the order of their registration. If an observer changes something, the changes come in the
  /// next batch, after all observers have received this one.
  public func observe(_ body: @escaping (ListBatch) -> Void) -> ListObservation {
    // The first batch begins with this snapshot.
    _ = snapshot
    return observers.add(body)
  }

  /// Delivers this turn's changes now, instead of at the end of the turn.
  ///
  /// Afterwards, the list shows the state of the context. If it already does, nothing happens. If an observer calls it,
  /// the changes are delivered after all observers have received the current batch.
  public func flush() { contextChanged() }

  /// Returns after the observers have received all changes of the context so far.
  ///
  /// The call returns at the end of the turn, or at once if there is nothing to deliver. Saves of other contexts are
  /// included once this context has moved to them.
  public func delivered(isolation: isolated (any Actor)? = #isolation) async {
    await context.announced(isolation: isolation)
  }

  /// Called at the end of the context's turn, or at once if the context belongs to no isolation.
  func contextChanged() {
    if isDelivering {
      isStale = true
    } else if observers.isEmpty, !isTracked {
      releaseMoment()
    } else {
      follow()
    }
  }

  /// Releases the position and the overlays, so that a list without observers cannot slow edits down.
  private func releaseMoment() {
    guard let moment else { return }
    lastSnapshot = moment.cheapSnapshot
    unobserved = UnobservedRows(moment)
    self.moment = nil
  }

  private func follow() {
    let wasPending = isPending
    if isPending, context.store.isOpening { return }
    isPending = false
    do {
      takeUpIndexes()
      guard let moment, moment.fetch == compiled else {
        return show(try Self.moment(compiled, of: fetch, context), changes: nil)
      }
      let later = context.projection
      // Memory does not keep the changes of a save of many megabytes, so they are read from the log. If the list is far
      // behind, fetching the rows again costs less.
      let isNear = moment.projection.position.distance(to: later.position) <= 256
      let (next, changes) = try moment.following(in: later, readingLog: isNear)
      if let changes, changes.isEmpty {
        self.moment = next
        failure = nil
      } else {
        show(next, changes: changes)
      }
    } catch {
      failure = error
      // The observers were promised a batch.
      if wasPending { show(nil, changes: nil) }
    }
  }

  /// Shows a moment and notifies the observers. Repeats this if they changed something.
  func show(_ next: ListMoment?, changes: ListChanges?) {
    let before = moment?.snapshot ?? lastSnapshot
    moment = next
    if next != nil { failure = nil }
    if isTracked, changes?.changesRows ?? true {
      isTracked = false
      context.tracker?.didChange(self)
    }
    // Another fetch with the same rows changes nothing that an observer shows.
    guard !observers.isEmpty, changes?.isEmpty != true || before != snapshot else { return }
    isDelivering = true
    observers.deliver(ListBatch(before: before, after: snapshot, changes: changes))
    isDelivering = false
    guard isStale else { return }
    isStale = false
    contextChanged()
  }
}
