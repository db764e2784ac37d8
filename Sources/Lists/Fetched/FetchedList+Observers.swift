import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery

extension FetchedList {
  /// Calls `body` with each batch, in the context's isolation, as long as the observation lives. Any number may
  /// observe; they are called in the order in which they began.
  ///
  /// What an observer changes shows in the next batch, after all of them were called with this one.
  public func observe(_ body: @escaping (ListBatch) -> Void) -> ListObservation {
    // What the first batch begins with.
    _ = snapshot
    return observers.add(body)
  }

  /// The batches from now on, for a loop in the context's isolation. It ends with the list.
  ///
  /// Every batch comes, in order; when the loop looks at one the list may be further already. What has to keep rows in
  /// step with the list uses ``observe(_:)``.
  public func batches() -> some AsyncSequence<ListBatch, Never> {
    _ = snapshot
    return observers.batches()
  }

  /// At the end of the context's turn, or at once where it belongs to no isolation.
  func contextChanged() {
    if isDelivering {
      isStale = true
    } else if observers.isEmpty {
      // Its overlays and its position are let go of: what nobody looks at must not make edits dearer.
      if let moment { lastSnapshot = moment.cheapSnapshot }
      moment = nil
    } else {
      follow()
    }
  }

  private func follow() {
    do {
      guard let next = try next() else { return }
      show(next)
    } catch {
      failure = error
    }
  }

  /// What is to be shown now; `nil` if it is shown already.
  private func next() throws -> ListMoment? {
    if let moment, moment.fetch == compiled {
      let projection = context.projection
      guard try moment.isTouched(in: projection) else {
        self.moment = try ListMoment(carrying: moment, to: projection)
        failure = nil
        return nil
      }
    }
    return try Self.moment(compiled, context)
  }

  /// Makes a moment what the list shows, and tells the observers, and does so again if they changed something.
  func show(_ next: ListMoment) {
    let before = observers.isEmpty ? lastSnapshot : snapshot
    moment = next
    failure = nil
    guard !observers.isEmpty else { return }
    isDelivering = true
    observers.deliver(ListBatch(before: before, after: snapshot))
    isDelivering = false
    guard isStale else { return }
    isStale = false
    contextChanged()
  }
}
