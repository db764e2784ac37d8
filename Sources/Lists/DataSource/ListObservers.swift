/// The observers of a data source, for implementing one.
public final class ListObservers {
  private var bodies: [Int: (ListBatch) -> Void] = [:]
  private var next = 0

  /// No observers yet.
  public init() {}

  /// Whether nobody observes.
  public var isEmpty: Bool { bodies.isEmpty }

  /// Calls `body` with every batch, until the observation ends. O(1).
  public func add(_ body: @escaping (ListBatch) -> Void) -> ListObservation {
    let token = next
    bodies[token] = body
    next += 1
    return ListObservation { [weak self] in self?.bodies[token] = nil }
  }

  /// Calls the observers in the order in which they were added. Observers added during the call are left out; those
  /// whose observation ends during the call are no longer called.
  public func deliver(_ batch: ListBatch) {
    for token in bodies.keys.sorted() { bodies[token]?(batch) }
  }
}
