/// The observers of a data source, for the implementation of your own source.
public final class ListObservers {
  private var bodies: [Int: (ListBatch) -> Void] = [:]
  private var next = 0

  /// Makes an empty set of observers.
  public init() {}

  /// Whether nobody observes the source.
  public var isEmpty: Bool { bodies.isEmpty }

  /// Calls `body` with every batch until the observation ends.
  ///
  /// - Complexity: O(1)
  public func add(_ body: @escaping (ListBatch) -> Void) -> ListObservation {
    let token = next
    bodies[token] = body
    next += 1
    return ListObservation { [weak self] in self?.bodies[token] = nil }
  }

  /// Calls the observers in the order of their addition.
  ///
  /// O(n log n) for n observers.
  ///
  /// Observers added during the call are not called. Observers whose observation ends during the call are not called
  /// any more.
  public func deliver(_ batch: ListBatch) {
    for token in bodies.keys.sorted() { bodies[token]?(batch) }
  }
}
