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
  package func write(_ store: Store, to output: Output) throws {
    let floor = try max(first ?? 0, store.log.firstPosition)
    var position = min(last ?? store.log.head, store.log.head)
    var count = 0
    while count < limit, position >= floor, position > 0 {
      if let transaction = try store.log.transaction(at: position), fits(transaction) {
        try write(TransactionText(transaction, of: store, isWanted), to: output)
        count += 1
      }
      position = Position(position.number - 1)
    }
  }

  private func isWanted(_ change: LoggedTransaction.Change) -> Bool {
    (entity == nil || change.object.entity == entity) && (object == nil || change.object == object)
  }

  private func fits(_ transaction: LoggedTransaction) -> Bool {
    if let author, transaction.author != author { return false }
    if entity == nil, object == nil { return true }
    return transaction.changes.contains(where: isWanted)
  }

  private func write(_ transaction: TransactionText, to output: Output) throws {
    if output.isJSON { return try output.json(transaction) }
    let style = output.style
    switch detail {
    case .line: try output.line(transaction.title(style))
    case .counts:
      let counts = transaction.counts(style)
      try output.line(transaction.title(style) + (counts.isEmpty ? "" : "  " + counts))
    case .patch:
      try output.line(transaction.title(style))
      for change in transaction.changes { for line in change.lines(style) { try output.line(line) } }
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
