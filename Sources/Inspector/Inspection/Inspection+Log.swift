import RepriseCore
import RepriseTool

extension Inspection {
  /// The most transactions that one request looks at. The page continues with the next request.
  private static let mostVisits = 20_000

  /// Transactions, newest first.
  func log(_ request: PageRequest) throws -> JSON {
    let places = Places(store)
    let limit = max(1, try request.number("limit", or: 30, upTo: 100))
    var next = store.log.head
    if let to = request.optional("to") {
      // The log may lack all transactions before that time.
      do { next = try places.lastPosition(to) } catch StoreError.truncated { next = 0 }
    }
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
      if let transaction = try store.log.transaction(at: next, matching: filter) { found.append(transaction) }
      visits += 1
      next = Position(next.number - 1)
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
    let limit = try request.number("limit", or: 50, upTo: 2_000)
    let property = request.optional("property")
    let form = TransactionForm(store: store)
    let history = try store.log.history(of: id, property: property, upTo: context.position, limit: limit)
    return .object(["transactions": .list(history.map { form.json($0) })])
  }
}
