import RepriseCore

/// The transactions of a store, newest first.
package struct LogReport {
  /// How much of each transaction is shown.
  package enum Detail: Sendable {
    /// One line.
    case line
    /// One line, and the numbers of changes by entity.
    case counts
    /// Each change with its old and new values.
    case patch
  }

  package var limit = 20
  package var detail = Detail.line
  package var author: String?
  /// The name of an entity.
  package var entity: String?
  package var object: AnyObjectID?
  /// The last transaction to show. `nil` for the head.
  package var last: Position?
  /// The first transaction to show.
  package var first: Position?

  package init() {}

  /// Reads the log backwards until it has found enough transactions.
  ///
  /// - Parameter progress: Gets the part of the log that is read, from 0 to 1.
  package func write(_ store: Store, to output: Output, _ progress: (Double) -> Void = { _ in }) throws {
    try forEachTransaction(of: store, upTo: min(last ?? store.log.head, store.log.head), for: output, progress) {
      try write($0, of: store, to: output)
    }
  }

  /// Writes the last ``limit`` transactions, oldest first, and then each new transaction once a process has saved it.
  /// Ends when the task is cancelled or the store is closed.
  package nonisolated(nonsending) func follow(_ store: Store, to output: Output) async throws {
    let token = try store.log.headToken()
    var found: [LoggedTransaction] = []
    try forEachTransaction(of: store, upTo: token.position, for: output) { found.append($0) }
    for transaction in found.reversed() { try write(transaction, of: store, to: output) }
    try output.flush()
    for try await transaction in store.log.feed(after: token, matching: filter) {
      try write(transaction, of: store, to: output)
      try output.flush()
    }
  }

  private var filter: TransactionFilter {
    TransactionFilter(authors: author.map { [$0] }, entities: entity.map { [$0] }, objects: object.map { [$0] })
  }

  /// The wanted transactions up to a position, newest first.
  private func forEachTransaction(
    of store: Store, upTo position: Position, for output: Output, _ progress: (Double) -> Void = { _ in },
    _ body: (LoggedTransaction) throws -> Void
  ) throws {
    let floor = try max(first ?? 0, store.log.firstPosition)
    // A title shows no changes, and a transaction may have thousands.
    let isBrief = detail == .line && !output.isJSON
    let end = position
    var (position, count) = (position, 0)
    while count < limit, position >= floor, position > 0 {
      let transaction: LoggedTransaction?
      do {
        transaction = try store.log.transaction(at: position, matching: filter, firstChangeOnly: isBrief)
      } catch {
        if case .truncated = error { break }
        throw error
      }
      if let transaction {
        try body(transaction)
        count += 1
      }
      position = Position(position.number - 1)
      if position.number.isMultiple(of: 256), end > floor {
        progress(Double(end.number - position.number) / Double(end.number - floor.number + 1))
      }
    }
  }

  private func write(_ transaction: LoggedTransaction, of store: Store, to output: Output) throws {
    let text = TransactionText(transaction, of: store)
    if output.isJSON { return try output.json(text) }
    let style = output.style
    switch detail {
    case .line: try output.line(text.title(style))
    case .counts:
      let counts = text.counts(style)
      try output.line(text.title(style) + (counts.isEmpty ? "" : "  " + counts))
    case .patch:
      try output.line(text.title(style))
      for change in text.changes { for line in change.lines(style) { try output.line(line) } }
    }
  }
}

/// The changes between two positions.
package enum DifferenceReport {
  package static func write(_ store: Store, from: Position, to: Position, to output: Output) throws {
    for change in try store.log.difference(from: from, to: to).changes.map({ ChangeText($0, of: store) }) {
      if output.isJSON {
        try output.json(change)
      } else {
        for line in change.lines(output.style) { try output.line(line) }
      }
    }
  }
}
