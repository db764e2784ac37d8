import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery

extension FetchedList {
  /// Calls `body` with each batch, in the context's isolation, as long as the observation lives. Any number may
  /// observe; they are called in the order in which they began.
  ///
  /// Changes that an observer makes come in the next batch, after all observers were called with this one.
  public func observe(_ body: @escaping (ListBatch) -> Void) -> ListObservation {
    // The first batch begins with this snapshot.
    _ = snapshot
    return observers.add(body)
  }

  /// The batches from now on, for a loop in the context's isolation. It ends with the list.
  ///
  /// Every batch arrives, in order, but the list may have moved on by the time the loop handles it. Use ``observe(_:)``
  /// to keep rows in step with the list.
  public func batches() -> some AsyncSequence<ListBatch, Never> {
    _ = snapshot
    return observers.batches()
  }

  /// At the end of the context's turn, or at once where it belongs to no isolation.
  func contextChanged() {
    if isDelivering {
      isStale = true
    } else if observers.isEmpty {
      // Releases its overlays and its position: a list that nobody observes must not slow edits down.
      if let moment { lastSnapshot = moment.cheapSnapshot }
      moment = nil
    } else {
      follow()
    }
  }

  private func follow() {
    do {
      guard let moment, moment.fetch == compiled else { return show(try Self.moment(compiled, context), changes: nil) }
      let (next, changes) = try moment.following(in: context.projection)
      if let changes, changes.isEmpty {
        self.moment = next
        failure = nil
      } else {
        show(next, changes: changes)
      }
    } catch {
      failure = error
    }
  }

  /// Shows a moment and notifies the observers; repeats if they changed something.
  func show(_ next: ListMoment, changes: ListChanges?) {
    let before = moment?.snapshot ?? lastSnapshot
    moment = next
    failure = nil
    guard !observers.isEmpty else { return }
    isDelivering = true
    observers.deliver(ListBatch(before: before, after: snapshot, changes: changes))
    isDelivering = false
    guard isStale else { return }
    isStale = false
    contextChanged()
  }
}
