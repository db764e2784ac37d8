import RepriseCore
import Workload

/// A store of tasks, and what is asked of it.
@MainActor struct Tasks {
  let path: String

  func make(objects: Int, batch: Int) async throws {
    let began = Bench.now()
    let store = try await Store.open(path, for: Schema(BenchmarkTask.self))
    let context = RootContext(store)
    for start in stride(from: 0, to: objects, by: batch) {
      for number in start..<min(start + batch, objects) {
        context.insert(BenchmarkTask(TaskFacts(number: number)))
      }
      try await context.save("Load")
    }
    try await store.close()
    Bench.put("objects", objects)
    Bench.put("events", objects)
    Bench.put("elapsed", Bench.now() - began)
  }

  /// False if it is no question of tasks.
  func ask(_ question: String, rounds: Int) async throws -> Bool {
    let fetch: Fetch<BenchmarkTask>
    switch question {
    case "search":
      let words = Questions.words.joined(separator: " ")
      fetch = Fetch<BenchmarkTask> { $0.text.contains(words: words) }.limit(Questions.first)
    case "compound":
      let middle = ItemFacts.date(Questions.middleTicks)
      fetch = Fetch<BenchmarkTask> { !$0.isDone && $0.dueDate >= middle }.sorted { $0.dueDate.ascending }
        .limit(Questions.first)
    default: return false
    }
    let store = try await Store.open(path, for: Schema(BenchmarkTask.self))
    let context = RootContext(store)
    // Tasks do not know their numbers, which are those of their births.
    let numbers = Dictionary(
      uniqueKeysWithValues: try context.fetchIDs(Fetch<BenchmarkTask>()).enumerated().map { ($1, $0) })
    var hash = Hash()
    // The first without the clock.
    for sample in -1..<rounds {
      let began = Bench.now()
      let tasks = Self.read(try context.fetch(fetch))
      if sample < 0 { continue }
      Bench.put("sample", Bench.now() - began)
      hash.add(
        Answer.items(tasks), number: { numbers[$0.id] ?? -1 }, value: { ItemFacts.ticks($0.dueDate) })
    }
    Bench.put("check", hash.value)
    withExtendedLifetime(context) {}
    return true
  }

  /// All that others decode of a task, read.
  private static func read(_ tasks: [BenchmarkTask]) -> [BenchmarkTask] {
    var sum = 0
    for task in tasks {
      sum &+= task.text.utf8.count &+ Int(truncatingIfNeeded: task.dueDate.bitPattern) &+ (task.isDone ? 1 : 0)
    }
    withExtendedLifetime(sum) {}
    return tasks
  }
}
