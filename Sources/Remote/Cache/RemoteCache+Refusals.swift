import RepriseEventStore
import RepriseObjectGraph

extension RemoteCache {
  /// A transaction with rows of the server. It leaves out rows that the store cannot keep or cannot delete, and records
  /// them.
  func transaction<Result: Sendable>(
    _ title: String, applying page: PageRows<Record>, after earlier: [Record],
    _ body: @escaping @Sendable (Transaction, PageApplication<Element, Record>) throws -> Result
  ) async throws -> Result {
    let application = PageApplication<Element, Record>(page, after: earlier)
    // Each further attempt has fewer rows.
    while true {
      do {
        let result = try await transaction(title) { transaction in
          var transaction = transaction
          let current = transaction
          transaction.keeps = { try application.keep($0, in: current) }
          return try body(transaction, application)
        }
        note(application.newlyRefused, accepted: application.accepted)
        return result
      } catch is PageApplication<Element, Record>.Refused {
        continue
      } catch SaveError.refused(let refusal) {
        if application.blame(refusal) { continue }
        guard RowRefusal.reason(of: refusal) != nil, try await tryApart(application) else {
          throw SaveError.refused(refusal)
        }
      }
    }
  }

  private func tryApart(_ application: PageApplication<Element, Record>) async throws -> Bool {
    try await turns.inTurn {
      try await self.background.perform { context in
        defer { context.discard() }
        return try application.blame { records in
          context.discard()
          try context.refresh()
          let transaction = try self.begin(context)
          for record in records { try transaction.take(record) }
          return try context.refusal()
        }
      }
    }
  }

  /// Reports refused rows to the program, except rows in `accepted`, which a later page made acceptable.
  func note(_ rows: [RefusedRow], accepted: Set<String> = []) {
    if rows.isEmpty && accepted.isEmpty { return }
    memory.withLock { memory in
      memory.refused.removeAll { $0.id.map(accepted.contains) ?? false }
      memory.refused += rows
    }
  }

  /// The rows that were refused since the last call.
  func refusedSince() -> [RefusedRow] {
    memory.withLock { memory in
      defer { memory.refused = [] }
      return memory.refused
    }
  }
}
