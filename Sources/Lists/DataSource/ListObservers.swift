/// The observers of a data source, for implementing one.
public final class ListObservers {
  private var bodies: [Int: (ListBatch) -> Bool] = [:]
  private var next = 0

  /// No observers yet.
  public init() {}

  /// Whether nobody observes.
  public var isEmpty: Bool { bodies.isEmpty }

  /// Calls `body` with every batch, until the observation ends. O(1).
  public func add(_ body: @escaping (ListBatch) -> Void) -> ListObservation {
    let token = next
    addWhile { batch in
      body(batch)
      return true
    }
    return ListObservation { [weak self] in self?.bodies[token] = nil }
  }

  /// Calls `body` with every batch until it returns false.
  func addWhile(_ body: @escaping (ListBatch) -> Bool) {
    bodies[next] = body
    next += 1
  }

  /// The batches from now on, as they are delivered, until this object is released.
  public func batches() -> AsyncStream<ListBatch> {
    let (stream, continuation) = AsyncStream.makeStream(of: ListBatch.self)
    let delivery = StreamDelivery(continuation)
    addWhile { delivery.yield($0) }
    return stream
  }

  /// Calls the observers in the order in which they were added. Observers added during the call are left out; those
  /// whose observation ends during the call are no longer called.
  public func deliver(_ batch: ListBatch) {
    for token in bodies.keys.sorted() {
      guard let body = bodies[token] else { continue }
      if !body(batch) { bodies[token] = nil }
    }
  }
}

/// Ends a stream with the observers that feed it.
private final class StreamDelivery {
  private let continuation: AsyncStream<ListBatch>.Continuation

  init(_ continuation: AsyncStream<ListBatch>.Continuation) { self.continuation = continuation }

  /// False once the stream has ended.
  func yield(_ batch: ListBatch) -> Bool {
    if case .terminated = continuation.yield(batch) { false } else { true }
  }

  deinit { continuation.finish() }
}
