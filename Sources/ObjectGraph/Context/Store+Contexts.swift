import RepriseEventStore

// For servers and tools, which handle requests instead of showing screens.

extension Store {
  /// Runs `body` with a new context at the head, and discards its changes.
  ///
  /// Nothing moves the context automatically, so all reads see the same position of the log.
  ///
  /// ```swift
  /// let open = try await store.read { context in try context.count(Fetch<Task> { !$0.isDone }) }
  /// ```
  ///
  /// `body` may be asynchronous: a server can write each object into a response while it reads. The result must be
  /// sendable. Return IDs or snapshots, because objects are not sendable. Making the context costs microseconds.
  ///
  /// - Parameter isolation: The isolation of the caller. A closure that you write in place keeps its own isolation,
  ///   which is the same.
  public func read<Success, Failure: Error>(
    isolation: isolated (any Actor)? = #isolation,
    _ body: (RootContext) async throws(Failure) -> sending Success
  ) async throws(Failure) -> sending Success {
    // `body` is not `nonisolated(nonsending)`. A closure of that kind cannot call an asynchronous method of a captured
    // non-sendable object, such as the body writer of an HTTP server. If the store cannot be opened, the body's first
    // read throws.
    try? await waitUntilOpen()
    return try await body(RootContext(self, isolation: nil))
  }

  /// Runs `body` with a new context at the head, and saves its changes as one transaction.
  ///
  /// If another save meanwhile causes a conflict or a broken rule, `body` runs again with a new context at the new
  /// head. `body` must therefore have no effects outside the context that cannot be repeated. If `body` throws, nothing
  /// is saved.
  ///
  /// After its first conflict, a write waits for its turn: writes of this process that conflicted run one at a time, in
  /// order. Any number of them can therefore change one value at once. A write waits at most 10 s for its turn. If
  /// `body` takes long, the write may need more attempts.
  ///
  /// If another save overtakes a write during its turn, for example one of another process, the write backs off before
  /// each further run. The delay is random, grows with the number of runs, and is 100 ms at most. Meanwhile, no other
  /// write of this process begins.
  ///
  /// ```swift
  /// try await store.write("Take from stock", author: request.user) { context in
  ///   try context.object(article).count -= 1
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - name: The name of the transaction.
  ///   - author: The author recorded with the transaction.
  ///   - metadata: Your own keys and values, recorded with the transaction; see ``LoggedTransaction/metadata``.
  ///   - attempts: The largest number of runs; `body` always runs at least once. To set a deadline instead, cancel the
  ///     task.
  ///   - isSerializable: Whether `body` also runs again if another save changed something that it read. The result is
  ///     then as if writes ran one after the other: see ``RootContext/isSerializable``.
  ///   - body: Reads and edits. The closure may run several times.
  /// - Returns: The result of the run that was saved, and its changes.
  /// - Throws: The error of `body`. ``SaveError``, after the last attempt if other saves are the reason.
  ///   `CancellationError` if the task is cancelled while the write waits.
  @discardableResult
  nonisolated(nonsending) public func write<Success>(
    _ name: String? = nil, author: String? = nil, metadata: [String: String] = [:], attempts: Int = 100,
    isSerializable: Bool = false,
    _ body: nonisolated(nonsending) (RootContext) async throws -> sending Success
  ) async throws -> sending WriteResult<Success> {
    try await write(
      name, author: author, metadata: metadata, attempts: attempts, isSerializable: isSerializable,
      waiting: ConflictTurn.pause, body)
  }

  /// - Parameter wait: Called with the number of runs so far, before each further run except the first one of the
  ///   writer's turn.
  nonisolated(nonsending) package func write<Success>(
    _ name: String?, author: String?, metadata: [String: String], attempts: Int, isSerializable: Bool,
    waiting wait: nonisolated(nonsending) (Int) async throws -> Void,
    _ body: nonisolated(nonsending) (RootContext) async throws -> sending Success
  ) async throws -> sending WriteResult<Success> {
    try await waitUntilOpen()
    var turn = ConflictTurn(in: self)
    try await turn.begin()
    defer { turn.end() }
    var attempt = 1
    while true {
      let context = RootContext(self, author: author, isolation: nil)
      context.isSerializable = isSerializable
      let result = try await turn.run { try await body(context) }
      do {
        return WriteResult(result: result, saved: try await context.saveChanges(name, metadata: metadata))
      } catch let error as SaveError {
        guard attempt < attempts, try isOfOthers(error, context) else { throw error }
      }
      try await turn.wait(after: attempt, wait)
      attempt += 1
    }
  }

  /// Whether another run at the new head may have a different result.
  private func isOfOthers(_ error: SaveError, _ context: RootContext) throws -> Bool {
    if case .overtaken = error { return true }
    guard case .refused(let refusal) = error else { return false }
    // Without another save in between, the next attempt would end in the same way.
    return try !(refusal.conflicts.isEmpty && refusal.violations.isEmpty) && refreshedHead() != context.position
  }
}

/// The result of ``Store/write(_:author:metadata:attempts:isSerializable:_:)``.
public struct WriteResult<Success> {
  /// The return value of the closure in the run that was saved.
  public let result: Success
  /// The result of the save: its position, and the objects that it inserted, updated and deleted.
  public let saved: SaveResult

  /// The position of the saved transaction. If the closure passed to `write` changed nothing, nothing was saved. This
  /// is then the position of the context in the closure's last run.
  public var position: Position { saved.position }
}

extension WriteResult: Sendable where Success: Sendable {}
extension WriteResult: Equatable where Success: Equatable {}
