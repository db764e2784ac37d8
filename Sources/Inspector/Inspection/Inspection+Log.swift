import RepriseCore
import RepriseTool

extension Inspection {
  /// The most transactions that one request looks at. The page continues with the next request.
  private static let mostVisits = 20_000

  /// Transactions, newest first.
  func log(_ request: PageRequest) throws -> JSON {
    let places = Places(store)
    let limit = max(1, try request.number("limit", or: 30, upTo: 100))
    var next = try request.optional("to").map { try places.lastPosition($0) } ?? store.log.head
    if let before = try request.position("before") {
      next = min(next, Position(max(before.number, 1) - 1))
    }
    let kept = try store.log.firstPosition
    let first = max(try request.optional("from").map { try places.firstPosition($0) } ?? kept, max(kept, 1))
    let object = try request.optional("object").map { try places.object($0, in: context(at: store.log.head)) }
    let entity = try request.optional("entity").map { try places.entity($0).name }
    let author = request.optional("author")
    var form = TransactionForm(store: store)
    form.isWanted = { change in
      (entity == nil || change.object.entity == entity) && (object == nil || change.object == object)
    }
    let filter = TransactionFilter(
      authors: author.map { [$0] }, entities: entity.map { [$0] }, objects: object.map { [$0] })
    var found: [LoggedTransaction] = []
    var visits = 0
    while found.count < limit, next >= first, visits < Self.mostVisits {
      // The log is read forwards, so older transactions come in small parts.
      let count = min(
        author == nil && entity == nil && object == nil ? limit - found.count : 256, Int(next.number - first.number) + 1
      )
      let start = Position(next.number - UInt64(count))
      let part = try store.log.transactions(after: start, limit: count, matching: filter).filter { $0.position <= next }
      visits += count
      let taken = part.reversed().prefix(limit - found.count)
      found += taken
      // A part that had too many continues after the last one taken.
      next = taken.count < part.count ? Position(taken.last.map { $0.position.number - 1 } ?? 0) : start
    }
    return .object([
      "transactions": .list(found.map { form.json($0) }),
      "next": next >= first ? .int(next.number + 1) : .null,
    ])
  }

  /// A transaction with many of its changes.
  func transaction(_ request: PageRequest) throws -> JSON {
    guard let position = try request.position("position") else { throw PageFailure.missing("position") }
    guard let transaction = try store.log.transaction(at: position) else {
      throw ToolError.noPosition("@\(position)", head: store.log.head.number)
    }
    return TransactionForm(store: store, limit: 1_000).json(transaction)
  }

  /// The transactions that changed an object, newest first.
  func history(_ request: PageRequest) throws -> JSON {
    let context = try context(request)
    let id = try id(request, in: context)
    let limit = try request.number("limit", or: 50, upTo: 500)
    let property = request.optional("property")
    var form = TransactionForm(store: store)
    form.isWanted = { change in
      change.object == id && (property == nil || change.properties.contains { $0.property == property })
    }
    let history = try context.history(of: id, limit: property == nil ? limit : nil)
    let wanted = history.filter { property == nil || $0.changes.contains(where: form.isWanted) }.prefix(limit)
    return .object(["transactions": .list(wanted.map { form.json($0) })])
  }
}
