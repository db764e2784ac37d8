import RepriseObjectModel
import RepriseQuery

/// How the objects of a fetch were found.
package struct FetchFinding {
  enum Way {
    case plan(FetchPlan)
    /// By their ranks in the index in a slot.
    case ranks(slot: Int)
  }

  let way: Way
  /// How many stored objects were expected to be visited.
  let expectedVisits: Int
  let visits: Int
  /// How many rows, or groups of objects, were in memory at once.
  var rowsInMemory: Int

  init(_ plan: FetchPlan, visits: Int, rowsInMemory: Int = 0) {
    way = .plan(plan)
    expectedVisits = plan.expected
    self.visits = visits
    self.rowsInMemory = rowsInMemory
  }

  init(_ counted: CountedRows) { self.init(ranksIn: counted.choice.slot, visits: counted.ranks.count) }

  /// - Parameter visits: How many rows of the index were visited.
  init(ranksIn slot: Int, visits: Int, rowsInMemory: Int? = nil) {
    way = .ranks(slot: slot)
    expectedVisits = visits
    self.visits = visits
    self.rowsInMemory = rowsInMemory ?? visits
  }
}
