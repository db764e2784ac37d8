import RepriseCore

/// The plan of a fetch, and its cost.
struct PlanText: Encodable {
  let text: String
  /// The case of `FetchExplanation.Access`.
  let access: String
  /// The properties of the indexes.
  let properties: [String]
  let isInOrder: Bool
  let expectedVisits: Int
  let visits: Int
  let rowsInMemory: Int
  let unfinishedIndexes: [String]
  let readsHistory: Bool
  let transactionsRead: Int

  init(_ plan: FetchExplanation) {
    (access, properties) =
      switch plan.access {
      case .scan: ("scan", [])
      case .index(let property): ("index", [property])
      case .search(let property): ("search", [property])
      case .collected(let properties): ("collected", properties)
      case .referring(let property): ("referring", [property])
      }
    (text, isInOrder, expectedVisits) = ("\(plan)", plan.isInOrder, plan.expectedVisits)
    (visits, rowsInMemory, unfinishedIndexes) = (plan.visits, plan.rowsInMemory, plan.unfinishedIndexes)
    (readsHistory, transactionsRead) = (plan.readsHistory, plan.transactionsRead)
  }

  func write(to output: Output) throws {
    if output.isJSON { return try output.json(self) }
    for line in text.split(separator: "\n") { try output.line(PlainText.line(String(line))) }
  }
}
