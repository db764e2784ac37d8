import RepriseObjectModel
import RepriseQuery

/// How the objects of a fetch were found.
package struct FetchFinding {
  /// `nil` if no object was visited, because an index or the store's counter was enough.
  let plan: FetchPlan?
  /// The index whose ranks gave the objects or their number. `nil` if there is a plan, or if the store's counter gave
  /// the number.
  let rankedIndex: Int?
  /// How many stored objects were expected to be visited.
  let expectedVisits: Int
  let visits: Int
  /// How many rows, or groups of objects, were in memory at once.
  var rowsInMemory: Int
  /// Whether the rows came from an index at the position of the context, where the head has gone on.
  var readsHistory = false
  /// The number of transactions that were read to find the objects that differ from the head.
  var transactionsRead = 0

  init(_ plan: FetchPlan, visits: Int, rowsInMemory: Int = 0) {
    self.plan = plan
    rankedIndex = nil
    expectedVisits = plan.expected
    self.visits = visits
    self.rowsInMemory = rowsInMemory
  }

  init(_ counted: CountedRows) { self.init(ranksIn: counted.choice.slot, visits: counted.ranks.count) }

  /// - Parameters:
  ///   - slot: The index; `nil` if the store's own counter was enough.
  ///   - visits: How many rows of the index were visited.
  init(ranksIn slot: Int?, visits: Int, rowsInMemory: Int? = nil) {
    plan = nil
    rankedIndex = slot
    expectedVisits = visits
    self.visits = visits
    self.rowsInMemory = rowsInMemory ?? visits
  }
}
