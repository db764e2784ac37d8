import RepriseDynamic
import RepriseEventStore
import RepriseLists
import RepriseObjectGraph
import RepriseObjectModel
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

  /// Like ``show(_:)``, without the models of the store, and without writing to it.
  @MainActor static func inspect(_ arguments: Arguments) async throws {
    let store = try await Store.open(inspecting: arguments.path)
    func show<Model: PersistentModel>(_ model: Model.Type) async throws {
      let lane = try AnyField<Model>(named: "lane")
      let list = try FetchedList(
        Fetch<Model> { _ in lane == .int(Int64(Counting.shared)) }, in: store.mainContext)
      let (batches, continuation) = AsyncStream.makeStream(of: Void.self)
      let observation = list.observe { _ in continuation.yield() }
      func shown() throws -> PropertyValue { try list.element(at: RowPath(item: 0))["stamp"] }
      say("shows \(try shown())")
      for await _ in batches where try shown() == .int(Int64(arguments.number("last"))) { break }
      say("showed \(try shown())")
      withExtendedLifetime(observation) {}
    }
    try await show(store.entity(named: "Cell").model)
  }
}
