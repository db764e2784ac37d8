import RepriseEventStore
import RepriseLists
import RepriseObjectGraph
import RepriseQuery

/// Processes that write one number at the same time, and a process whose list shows the number.
enum Together {
  /// Adds one to the number so many times, each time in a `write` of its own.
  static func add(_ arguments: Arguments) async throws {
    let store = try openStore(arguments.path)
    let times = arguments.number("times")
    for _ in 0..<times {
      try await store.write("Add") { context in try Counting.cell(Counting.shared, context).stamp += 1 }
    }
    say("added \(times)")
  }

  /// Waits until its list shows the last number. Nothing here asks the store.
  @MainActor static func show(_ arguments: Arguments) async throws {
    let store = try openStore(arguments.path)
    let list = try FetchedList(Fetch<Cell> { $0.lane == Counting.shared }.sorted { $0.stamp }, in: store.mainContext)
    let (batches, continuation) = AsyncStream.makeStream(of: Void.self)
    let observation = list.observe { _ in continuation.yield() }
    var shown: Int { list.element(at: RowPath(item: 0)).stamp }
    say("shows \(shown)")
    for await _ in batches where shown == arguments.number("last") { break }
    say("showed \(shown)")
    withExtendedLifetime(observation) {}
  }
}
