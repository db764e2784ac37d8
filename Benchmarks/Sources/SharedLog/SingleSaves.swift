import Reprise
import RepriseSharing

/// Single saves of one server, and their arrival in a list and a feed of another one.
@MainActor struct SingleSaves {
  private let one: Servers.Server
  private let two: Servers.Server

  init(_ one: Servers.Server, _ two: Servers.Server) { (self.one, self.two) = (one, two) }

  func run(_ count: Int) async throws {
    for number in 0..<20 { try await one.save(number..<number + 1) }
    _ = one.log.takeTimes()
    let list = try FetchedList(Fetch<Track>().sorted { $0.number }, in: two.store.mainContext)
    let token = try await two.store.log.headToken()
    let seenByFeed = Arrivals()
    let feed = Task { [store = two.store] in
      for try await transaction in store.log.feed(after: token) { await seenByFeed.note(transaction.position) }
    }
    var (saves, own, arrivals, feeds): ([Duration], [Duration], [Duration], [Duration]) = ([], [], [], [])
    for number in 0..<count {
      let start = ContinuousClock.now
      let before = list.count
      try await one.save(1_000 + number..<1_001 + number)
      let saved = ContinuousClock.now - start
      while list.count == before { try await Task.sleep(for: .microseconds(50)) }
      let arrived = ContinuousClock.now - start
      let head = try one.store.log.head
      while await seenByFeed.last < head { try await Task.sleep(for: .microseconds(50)) }
      let fed = ContinuousClock.now - start
      let engine = one.log.takeTimes().reduce(.zero, +)
      saves.append(saved)
      own.append(saved - engine)
      arrivals.append(arrived - engine)
      feeds.append(fed - engine)
      try await Task.sleep(for: .milliseconds(3))
    }
    feed.cancel()
    row("save, with the engine", "\(milliseconds(saves.median)) p50", target: "")
    row("save, beyond the engine's append", "\(milliseconds(own.median)) p50", target: "1 ms")
    for (name, times) in [("save to list", arrivals), ("save to list and feed", feeds)] {
      row(
        "\(name), beyond the append", "\(milliseconds(times.median)) p50, \(milliseconds(times.quantile(0.99))) p99",
        target: "1.5 ms p50, 10 ms p99")
    }
  }
}

private actor Arrivals {
  private(set) var last: Position = 0
  func note(_ position: Position) { last = position }
}
