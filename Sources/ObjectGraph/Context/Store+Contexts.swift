import RepriseEventStore

// For servers and tools, whose work is a request and not a screen.

extension Store {
  /// Runs `body` with a context of its own at the head, which nothing moves: all reads answer for one position. What it
  /// changes is not saved.
  ///
  /// ```swift
  /// let open = try await store.read { context in try context.count(Fetch<Task> { !$0.isDone }) }
  /// ```
  ///
  /// The result must be sendable: objects are not, their IDs and snapshots are. A context costs microseconds.
  nonisolated(nonsending) public func read<Success, Failure: Error>(
    _ body: nonisolated(nonsending) (RootContext) async throws(Failure) -> sending Success
  ) async throws(Failure) -> sending Success {
    // What cannot be opened, the body hears of when it reads.
    try? await waitUntilOpen()
    return try await body(RootContext(self, isolation: nil))
  }

  /// Runs `body` with a context of its own at the head, and saves what it changed as one transaction.
  ///
  /// If others saved meanwhile what is in conflict with it, or what makes it break a rule, `body` runs again, with a
  /// new context at the new head: so it must do nothing outside that it cannot do twice. If it throws, nothing is
  /// saved.
  ///
  /// Writes of this process that were in conflict run again one at a time, in the order of their first conflict, so
  /// that any number of them can change one value at once. If saves of others overtake it again, it waits for a random
  /// time before each further run, of 100 ms at most, which grows with the number of runs, and no other write of this
  /// process begins. It waits for its turn for 10 s at most, so a body that takes long may need more attempts.
  ///
  /// ```swift
  /// try await store.write("Take from stock", author: request.user) { context in
  ///   try context.object(article).count -= 1
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - name: The name of the transaction.
  ///   - author: The author recorded with it.
  ///   - metadata: What else is recorded with it; see ``LoggedTransaction/metadata``.
  ///   - attempts: How often `body` may run, at least once. To set a deadline instead, cancel the task.
  ///   - isSerializable: Whether it also runs again if others saved meanwhile what it would have read otherwise, so
  ///     that the outcome is that of one `body` after the other: see ``RootContext/isSerializable``.
  /// - Returns: The result of the run that was saved, and what it saved.
  /// - Throws: what `body` throws; ``SaveError``, of a conflict that of the last attempt; `CancellationError` if the
  ///   task is cancelled while it waits.
  @discardableResult
  nonisolated(nonsending) public func write<Success>(
    _ name: String? = nil, author: String? = nil, metadata: [String: String] = [:], attempts: Int = 100,
    isSerializable: Bool = false,
    _ body: nonisolated(nonsending) (RootContext) async throws -> sending Success
  ) async throws -> sending Written<Success> {
    try await write(
      name, author: author, metadata: metadata, attempts: attempts, isSerializable: isSerializable,
      waiting: { attempt in
        let most = min(100_000, 500 << min(attempt, 8))
        try await Task.sleep(for: .microseconds(Int.random(in: 0...most)))
      }, body)
  }

  /// - Parameter wait: Called before each further run that does not begin a turn, with the number of runs so far.
  nonisolated(nonsending) package func write<Success>(
    _ name: String?, author: String?, metadata: [String: String], attempts: Int, isSerializable: Bool,
    waiting wait: nonisolated(nonsending) (Int) async throws -> Void,
    _ body: nonisolated(nonsending) (RootContext) async throws -> sending Success
  ) async throws -> sending Written<Success> {
    try await waitUntilOpen()
    let task = withUnsafeCurrentTask { $0?.hashValue ?? 0 }
    try await waitAtGate(task)
    var hasTurn = false
    defer { if hasTurn { passTurn() } }
    var attempt = 1
    while true {
      let context = RootContext(self, author: author, isolation: nil)
      context.isSerializable = isSerializable
      let result = try await body(context)
      do {
        return Written(result: result, saved: try await context.saveChanges(name, metadata: metadata))
      } catch let error as SaveError {
        guard attempt < attempts, try isOfOthers(error, context) else { throw error }
      }
      if hasTurn {
        closeGate()
        try await wait(attempt)
      } else {
        hasTurn = try await waitForTurn(task)
        if !hasTurn { try await wait(attempt) }
      }
      attempt += 1
    }
  }

  /// Whether another run at the new head may end otherwise.
  private func isOfOthers(_ error: SaveError, _ context: RootContext) throws -> Bool {
    if case .overtaken = error { return true }
    // Without a save of others the next attempt would end in the same way.
    return try !(error.conflicts.isEmpty && error.violations.isEmpty) && refreshedHead() != context.position
  }
}

/// What a ``Store/write(_:author:metadata:attempts:isSerializable:_:)`` came to.
public struct Written<Success> {
  /// What the closure returned in the run that was saved.
  public let result: Success
  /// What it saved: whether anything, and which objects it inserted, updated and deleted.
  public let saved: Saved

  /// The position of the transaction; of the run, if that changed nothing.
  public var position: Position { saved.position }
}

extension Written: Sendable where Success: Sendable {}
extension Written: Equatable where Success: Equatable {}
