import RepriseCore
import Workload

/// Durable saves of one attribute each, while an index is built over all tasks.
@MainActor struct Indexing {
  let path: String

  func run() async throws {
    let began = Bench.now()
    let store = try await Store.open(path, for: Schema(IndexedTask.self))
    let context = RootContext(store)
    let ids = try context.fetchIDs(Fetch<IndexedTask>().limit(1_000))
    guard !ids.isEmpty else { throw BenchmarkError("The store has no tasks.") }
    let objects = try context.count(Fetch<IndexedTask>())
    var round = 0
    // A small store has its index at once.
    repeat {
      let task = try context.object(ids[round % ids.count])
      let start = Bench.now()
      task.isDone.toggle()
      try await context.save("Edit")
      Bench.put("save", Bench.now() - start)
      round += 1
    } while !store.unfinishedIndexes.isEmpty
    try await store.waitForIndexes()
    Bench.put("objects", objects)
    Bench.put("elapsed", Bench.now() - began)
    try await store.close()
  }
}

/// The task of a later version, with an index more.
final class IndexedTask: PersistentModel {
  static let entity = Entity(
    IndexedTask.self, name: "Task",
    properties: [
      .attribute("text", String.self),
      .attribute("dueDate", Double.self, indexed: true),
      .attribute("isDone", Bool.self),
      .searchIndex("text"),
      .index(["isDone", "dueDate"]),
    ])

  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }

  var isDone: Bool {
    get { _storage.get(2) }
    set { _storage.set(2, newValue) }
  }

  struct Fields: FieldSet {
    typealias Model = IndexedTask
    init(_ path: FieldPath) {}
  }

  var snapshot: IndexedTask.ID { id }
}
