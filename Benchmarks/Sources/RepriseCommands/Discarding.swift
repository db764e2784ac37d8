import RepriseCore
import Workload

/// Edits in a child context, and letting go of them.
@MainActor struct Discarding<Item: BenchmarkItem> {
  let path: String

  /// `edit`: objects that are looked up by their IDs, as GRDB updates rows by theirs. `edit-live`: objects that a
  /// screen shows already.
  func run(edits: Int, rounds: Int) async throws {
    let store = try await Store.open(path, for: Item.schema)
    let context = RootContext(store)
    let ids = try Sample<Item>(edits, in: context).ids
    for _ in 0..<rounds {
      let child = context.makeChild()
      var live: [Item] = []
      live.reserveCapacity(ids.count)
      let began = Bench.now()
      for edit in 0..<edits {
        let item = try child.object(ids[edit % ids.count])
        item.valueInDollars = Bench.freshValue()
        live.append(item)
      }
      let edited = Bench.now()
      child.discard()
      let discarded = Bench.now()
      for edit in 0..<edits { live[edit].valueInDollars = Bench.freshValue() }
      let editedAgain = Bench.now()
      child.discard()
      Bench.put("edit", edited - began)
      Bench.put("discard", discarded - edited)
      Bench.put("edit-live", editedAgain - discarded)
      guard !child.hasChanges else { throw BenchmarkError("Discarding left something behind.") }
    }
  }
}
