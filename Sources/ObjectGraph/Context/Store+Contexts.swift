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
  ///   - attempts: How often `body` may run, at least once.
  ///   - isSerializable: Whether it also runs again if others saved meanwhile what it would have read otherwise, so
  ///     that the outcome is that of one `body` after the other: see ``RootContext/isSerializable``.
  /// - Returns: The result of the run that was saved.
  /// - Throws: what `body` throws; ``SaveError``, of a conflict that of the last attempt.
  @discardableResult
  nonisolated(nonsending) public func write<Success>(
    _ name: String? = nil, author: String? = nil, metadata: [String: String] = [:], attempts: Int = 10,
    isSerializable: Bool = false,
    _ body: nonisolated(nonsending) (RootContext) async throws -> sending Success
  ) async throws -> sending Success {
    try await waitUntilOpen()
    var attempt = 1
    while true {
      let context = RootContext(self, author: author, isolation: nil)
      context.isSerializable = isSerializable
      let result = try await body(context)
      do {
        try await context.save(name, metadata: metadata)
        return result
      } catch SaveError.conflicts(let conflicts) {
        if attempt >= attempts { throw SaveError.conflicts(conflicts) }
      } catch SaveError.overtaken(let objects) {
        if attempt >= attempts { throw SaveError.overtaken(objects) }
      } catch SaveError.violations(let violations) {
        // Without a save of others the next attempt would end in the same way.
        if try attempt >= attempts || refreshedHead() == context.position { throw SaveError.violations(violations) }
      }
      attempt += 1
    }
  }
}
