import RepriseObjectModel
import RepriseQuery

/// How the objects of a fetch were found.
package struct FetchFinding {
  enum Way {
    case plan(FetchPlan)
    /// By their ranks in the index in a slot.
    case ranks(slot: Int)
    /// Not at all: the store has their number.
    case counter
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

  /// - Parameters:
  ///   - slot: The index; `nil` if the store's own counter was enough.
  ///   - visits: How many rows of the index were visited.
  init(ranksIn slot: Int?, visits: Int, rowsInMemory: Int? = nil) {
    way = slot.map { .ranks(slot: $0) } ?? .counter
    expectedVisits = visits
    self.visits = visits
    self.rowsInMemory = rowsInMemory ?? visits
  }
}
