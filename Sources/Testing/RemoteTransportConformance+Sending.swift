import RepriseCore
import RepriseRemote

extension RemoteTransportConformance {
  // MARK: Changes, one after the other

  /// Makes random changes, and sends each of them three times. After each, compares the server's rows with the accepted
  /// changes.
  func checkChanges(_ numbers: inout SeededGenerator, _ isolation: isolated (any Actor)?) async throws {
    let (writer, reader) = (try await makeTransport(), try await makeTransport())
    var expected = try await readAll(reader, isolation)
    for _ in 0..<max(1, rounds) {
      let some = expected.rows.keys.sorted().randomElement(using: &numbers)
      switch Int.random(in: 0..<4, using: &numbers) {
      case 0 where some != nil:
        guard let some, let record = expected.rows.removeValue(forKey: some) else { break }
        try await delete(writer, record, isolation)
        expected.contents[some] = nil
      case 1...2 where some != nil:
        guard let some, var record = expected.rows[some] else { break }
        try await update(writer, &record, &numbers, isolation)
        (expected.rows[some], expected.contents[some]) = (record, content(record))
      default:
        let record = try await create(writer, &numbers, isolation)
        if let id = id(record) { (expected.rows[id], expected.contents[id]) = (record, content(record)) }
      }
      let found = try await readAll(reader, isolation)
      guard found.contents == expected.contents else {
        throw failure(
          .sending,
          "after a change was sent, the server's rows are \(found.contents) instead of \(expected.contents).")
      }
      // The found rows have versions, also if an answer had no row.
      expected.rows = found.rows
    }
  }

  /// Makes a row. Returns it as the server has it.
  func create(
    _ transport: Transport, _ numbers: inout SeededGenerator, _ isolation: isolated (any Actor)?
  ) async throws -> Record {
    let record = make(&numbers)
    let change = RemoteChange(
      kind: .create, id: id(record), record: record, properties: [], idempotencyKey: UniqueID())
    let accepted = try await accepted(change, transport, isolation)
    let made = accepted ?? record
    guard id(made) != nil else {
      throw failure(.sending, "the server accepted a new row, but the row has no identifier: \(made).")
    }
    guard id(record) == nil || id(record) == id(made) else {
      throw failure(
        .sending,
        "`make` gave the new row the identifier '\(id(record) ?? "")', but the server returned '\(id(made) ?? "")'.")
    }
    guard content(made) == content(record) else {
      throw failure(
        .sending,
        "`send` sent the new row '\(content(record))', but its answer has '\(content(made))' as the accepted row.")
    }
    return made
  }

  /// Changes a row. The row then equals the server's row.
  func update(
    _ transport: Transport, _ record: inout Record, _ numbers: inout SeededGenerator,
    _ isolation: isolated (any Actor)?
  ) async throws {
    let properties = change(&record, &numbers)
    let change = RemoteChange(
      kind: .update, id: id(record), record: record, properties: properties.sorted(),
      idempotencyKey: UniqueID())
    guard let now = try await accepted(change, transport, isolation) else { return }
    guard id(now) == id(record), content(now) == content(record) else {
      throw failure(
        .sending,
        "`send` sent the change to '\(content(record))', but its answer has '\(content(now))' as the accepted row.")
    }
    record = now
  }

  func delete(_ transport: Transport, _ record: Record, _ isolation: isolated (any Actor)?) async throws {
    let change = RemoteChange<Record>(
      kind: .delete, id: id(record), record: nil, properties: [], idempotencyKey: UniqueID())
    _ = try await accepted(change, transport, isolation)
  }

  /// Sends a change, and sends it again: with the same transport and with the transport of the next launch.
  private func accepted(
    _ change: RemoteChange<Record>, _ transport: Transport, _ isolation: isolated (any Actor)?
  ) async throws -> Record? {
    // The change as a source would send it.
    let change = RemoteChange(
      kind: change.kind, id: change.id, record: change.record, properties: change.properties,
      idempotencyKey: change.idempotencyKey, body: try transport.body(of: change))
    guard case .accepted(let record) = try await transport.send(change) else {
      throw failure(.sending, "the server did not accept a valid \(change.kind).")
    }
    for transport in [transport, try await makeTransport()] {
      guard case .accepted(let again) = try await transport.send(change) else {
        throw failure(
          .repetition, "the server accepted the \(change.kind), but did not accept the same \(change.kind) again.")
      }
      guard again.flatMap(id) == record.flatMap(id), again.map(content) == record.map(content) else {
        throw failure(.repetition, "the answer to a repeated \(change.kind) has another row than the first answer.")
      }
    }
    return record
  }

  // MARK: Outdated rows

  func checkStaleness(_ numbers: inout SeededGenerator, _ isolation: isolated (any Actor)?) async throws {
    let (transport, other) = (try await makeTransport(), try await makeTransport())
    let old = try await create(transport, &numbers, isolation)
    var theirs = old
    try await update(other, &theirs, &numbers, isolation)
    var mine = old
    let properties = change(&mine, &numbers).sorted()
    let late = RemoteChange(
      kind: .update, id: id(old), record: mine, properties: properties, idempotencyKey: UniqueID())
    switch try await transport.send(late) {
    // If rows have no versions, the last change wins.
    case .accepted: break
    case .changed(let record):
      guard content(record) == content(theirs) else {
        throw failure(
          .staleness,
          "the answer to an outdated change has the row '\(content(record))' instead of the server's present row "
            + "'\(content(theirs))'.")
      }
      let found = try await readAll(transport, isolation)
      guard id(old).flatMap({ found.contents[$0] }) == content(theirs) else {
        throw failure(.staleness, "the server applied a change that it did not accept.")
      }
    default: throw failure(.staleness, "the answer to an outdated change is neither `accepted` nor `changed`.")
    }
    try await delete(other, theirs, isolation)
    // A change with a new key, because the server answers a repeated change as before.
    guard
      case .gone = try await transport.send(
        RemoteChange(
          kind: .update, id: id(old), record: mine, properties: properties, idempotencyKey: UniqueID()))
    else { throw failure(.staleness, "the answer to a change of a deleted row is not `gone`.") }
    try await delete(transport, old, isolation)
    let found = try await readAll(transport, isolation)
    if id(old).flatMap({ found.contents[$0] }) != nil {
      throw failure(.staleness, "a change of a deleted row inserted the row again.")
    }
  }

  // MARK: Failures

  /// Checks the behaviour while the server cannot be reached.
  ///
  /// Requests must throw `RemoteError.unavailable`, so that a source retries. A change that is sent again later must be
  /// made exactly once.
  ///
  /// - Parameters:
  ///   - isolation: The isolation of the closure.
  ///   - failing: Makes the server unreachable for all transports, and reachable again.
  /// - Throws: ``RemoteTransportFailure``, and the errors of the closures and the transport.
  public func runUnavailable(
    isolation: isolated (any Actor)? = #isolation, _ failing: (_ isFailing: Bool) async throws -> Void
  ) async throws {
    // Rows that `run` has not made.
    var numbers = SeededGenerator(seed: ~seed)
    let transport = try await makeTransport()
    let before = try await readAll(transport, isolation)
    let record = make(&numbers)
    let change = RemoteChange(
      kind: .create, id: id(record), record: record, properties: [], idempotencyKey: UniqueID())
    try await failing(true)
    try await requireUnavailable(isolation) { _ = try await transport.read(RemoteRequest()) }
    try await requireUnavailable(isolation) { _ = try await transport.send(change) }
    try await failing(false)
    _ = try await accepted(change, transport, isolation)
    let after = try await readAll(transport, isolation)
    guard after.contents.count == before.contents.count + 1 else {
      throw failure(
        .unavailability,
        "after a new row was sent several times with one idempotency key, the list has \(after.contents.count) rows "
          + "instead of \(before.contents.count + 1).")
    }
  }

  private func requireUnavailable(
    _ isolation: isolated (any Actor)?, _ body: @Sendable () async throws -> Void
  ) async throws {
    do {
      try await body()
    } catch RemoteError.unavailable {
      return
    } catch {
      throw failure(
        .unavailability,
        "while the server was unreachable, the transport threw '\(error)' instead of `RemoteError.unavailable`.")
    }
    throw failure(.unavailability, "the server answered, although the check had made it unreachable.")
  }

  func checkCancellation(_ numbers: inout SeededGenerator, _ isolation: isolated (any Actor)?) async throws {
    let transport = try await makeTransport()
    let before = try await readAll(transport, isolation)
    for round in 0..<max(1, rounds) {
      // First cancelled before it begins, then at a random moment. Only the first one certainly fails, because a
      // reading may end before the cancellation from another thread arrives.
      let reading = Task {
        if round == 0 { withUnsafeCurrentTask { $0?.cancel() } }
        _ = try await transport.read(RemoteRequest())
      }
      for _ in 0..<Int.random(in: 0..<20, using: &numbers) { await Task.yield() }
      reading.cancel()
      do {
        try await reading.value
      } catch is CancellationError {
      } catch {
        throw failure(.cancellation, "a cancelled task threw '\(error)' instead of `CancellationError`.")
      }
    }
    let after = try await readAll(transport, isolation)
    guard after.contents == before.contents else {
      throw failure(.cancellation, "after cancelled requests, the list has other rows than before them.")
    }
  }
}
