import RepriseEventStore
import RepriseLMDB
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery

let schema = Schema(Cell.self, Entry.self)

func options() -> StoreOptions {
  var options = StoreOptions()
  // A kill takes nothing from the system's cache, and these tests cut no power.
  options.isUnflushed = true
  return options
}

func openStore(_ path: String, for models: Schema = schema) throws(StoreError) -> Store {
  try Store.openNow(path, for: models, options())
}

/// Opens a store, says how that went, and leaves it as a kill would.
func openOnce(_ path: String) {
  do throws(StoreError) {
    _ = try openStore(path)
    say("opened")
  } catch {
    say("refused \(error.name)")
  }
}

/// Opens a store for the time of `body`, and closes it.
func withStore<Success>(
  _ path: String, for models: Schema = schema, _ body: (Store) async throws -> Success
) async throws -> Success {
  let store = try openStore(path, for: models)
  let result: Success
  do {
    result = try await body(store)
  } catch {
    try? await store.close()
    throw error
  }
  try await store.close()
  return result
}

/// Everything that a user could read from a store.
func contents(of store: Store) throws -> [String] {
  let context = RootContext(store, isolation: nil)
  try context.refresh()
  let cells = try context.fetch(Fetch<Cell>()).map { cell in
    "\(cell.id) \(cell.lane) \(cell.place) \(cell.stamp) \(cell.name) \(cell.text) "
      + (cell.partner.map { "\($0.id)" } ?? "")
  }
  let entries = try context.fetch(Fetch<Entry>()).map { "\($0.id) \($0.stamp) \($0.previous)" }
  let counts = [
    "\(try context.count(Fetch<Cell>())) cells",
    "\(try context.count(Fetch<Cell> { $0.stamp >= 5 })) cells by stamp",
    "\(try context.fetch(Fetch<Cell> { $0.name >= "0" }.sorted { $0.name.descending }).map(\.name)) by name",
  ]
  return (cells + entries).sorted() + counts + ["head \(store.log.head)"]
}

/// Makes a store with a log of some length: insertions, updates, splices, deletions; with 3 among the stamps a frame of
/// several chunks.
func makeStore(_ path: String, stamps: ClosedRange<Int>) async throws {
  try await withStore(path) { store in
    let context = RootContext(store, author: "ada", name: "maker", isolation: nil)
    var previous = 0
    for stamp in stamps {
      try Lane.edit(stamp % 2, to: stamp, renewing: stamp % 5 == 4, in: context)
      try Chain.extend(to: stamp, from: previous, in: context)
      previous = stamp
      try await context.save("Save \(stamp)")
    }
  }
}
