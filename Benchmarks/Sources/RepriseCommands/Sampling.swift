import RepriseCore
import Workload

/// Objects to measure with: random ones, each once.
@MainActor struct Sample<Item: BenchmarkItem> {
  let ids: [Item.ID]

  /// At most `count` objects, found by random rows of the list by date.
  init(_ count: Int, in context: ObjectContext) throws {
    let list = try FetchedList(Item.byDate, in: context)
    let rows = list.snapshot
    guard rows.count > 0 else { throw BenchmarkError("The store has no objects.") }
    var random = FreshRandom()
    var chosen: Set<Int> = []
    var ids: [Item.ID] = []
    while ids.count < min(count, rows.count) {
      let row = Int.random(in: 0..<rows.count, using: &random)
      guard chosen.insert(row).inserted, let path = rows.path(at: row) else { continue }
      ids.append(list.element(at: path).id)
    }
    self.ids = ids
  }
}

struct BenchmarkError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
