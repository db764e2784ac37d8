import XCTest

/// All states of two writers, a reader, a leader and its standby: the conditional append, lost answers, a leader that
/// restarts alone, a promotion, and waits for the standby that an operator cancels.
final class AppendProtocolTests: XCTestCase {
  func testWithoutTheBarrierADuplicateIsLost() {
    let found = Search(hasBarrier: false, cancels: false).run()
    XCTAssertTrue(found.problems.contains(.lostSave), "\(found.problems)")
    XCTAssertTrue(found.problems.contains(.readerAhead), "\(found.problems)")
  }

  func testWithTheBarrierNothingIsLost() {
    let found = Search(hasBarrier: true, cancels: false).run()
    XCTAssertEqual(found.problems, [])
    XCTAssertGreaterThan(found.states, 1_000)
  }

  /// The exception that the promises of `LogTransport` name for PostgreSQL.
  func testACancelledWaitPutsOnlyAReaderAhead() {
    XCTAssertEqual(Search(hasBarrier: true, cancels: true).run().problems, [.readerAhead])
  }
}

private enum Problem {
  case lostSave
  case doubledSave
  case readerAhead
}

private struct Writer: Hashable {
  enum Connection: Hashable {
    case none
    /// The barrier returns when the standby has so many packets.
    case barrier(Int)
    case ready
  }

  var connection = Connection.none
  /// The number of packets that it knows.
  var place = 0
  /// The index of its packet at the leader, while it waits for the standby.
  var waiting: Int?
  var isAcknowledged = false
}

private struct World: Hashable {
  /// Packets that the leader has committed, each named after its writer.
  var leader: [Int] = []
  /// How many of them other connections see.
  var visible = 0
  /// How many of them the standby has.
  var standby = 0
  var writers = [Writer(), Writer()]
  var readerConnection = Writer.Connection.none
  var applied: [Int] = []
  var hasRestarted = false
  var hasPromoted = false
  var hasCancelled = false

  var problems: [Problem] {
    var problems: [Problem] = []
    for writer in writers.indices where writers[writer].isAcknowledged && !leader.contains(writer) {
      problems.append(.lostSave)
    }
    if Set(leader).count < leader.count { problems.append(.doubledSave) }
    if !leader.starts(with: applied) { problems.append(.readerAhead) }
    return problems
  }

  /// All connections are lost, and with them all answers that are under way.
  mutating func disconnect() {
    for writer in writers.indices {
      writers[writer].connection = .none
      writers[writer].waiting = nil
    }
    readerConnection = .none
  }
}

private struct Search {
  let hasBarrier: Bool
  let cancels: Bool

  func run() -> (problems: Set<Problem>, states: Int) {
    var seen: Set<World> = [World()]
    var next = [World()]
    var problems: Set<Problem> = []
    while let world = next.popLast() {
      problems.formUnion(world.problems)
      // What follows a problem is no news.
      if !world.problems.isEmpty { continue }
      for world in successors(of: world) where seen.insert(world).inserted { next.append(world) }
    }
    return (problems, seen.count)
  }

  private func successors(of world: World) -> [World] {
    var all: [World] = []
    func add(_ change: (inout World) -> Void) {
      var world = world
      change(&world)
      all.append(world)
    }
    if world.standby < world.leader.count {
      add { world in
        world.standby += 1
        world.visible = max(world.visible, world.standby)
      }
    }
    if !world.hasRestarted {
      add { world in
        world.hasRestarted = true
        world.visible = world.leader.count
        world.disconnect()
      }
    }
    if !world.hasPromoted {
      add { world in
        world.hasPromoted = true
        world.leader = Array(world.leader[..<world.standby])
        world.visible = world.leader.count
        world.disconnect()
      }
    }
    for writer in world.writers.indices { addSteps(of: writer, world, add) }
    switch world.readerConnection {
    case .none: add { $0.readerConnection = opened($0) }
    case .barrier(let count): if world.standby >= count { add { $0.readerConnection = .ready } }
    case .ready: add { $0.applied = Array($0.leader[..<$0.visible]) }
    }
    return all
  }

  private func opened(_ world: World) -> Writer.Connection { hasBarrier ? .barrier(world.leader.count) : .ready }

  private func addSteps(of number: Int, _ world: World, _ add: ((inout World) -> Void) -> Void) {
    let writer = world.writers[number]
    if writer.isAcknowledged { return }
    if writer.connection != .none {
      // The leader goes on with what it has received.
      add { world in
        world.writers[number].connection = .none
        world.writers[number].waiting = nil
      }
    }
    if let index = writer.waiting {
      if world.standby > index {
        add { world in
          world.writers[number].isAcknowledged = true
          world.writers[number].waiting = nil
        }
      } else if cancels, !world.hasCancelled {
        // The answer is a warning, so the writer does not know, and connects again.
        add { world in
          world.hasCancelled = true
          world.visible = max(world.visible, index + 1)
          world.writers[number].waiting = nil
          world.writers[number].connection = .none
        }
      }
      return
    }
    switch writer.connection {
    case .none: add { $0.writers[number].connection = opened($0) }
    case .barrier(let count): if world.standby >= count { add { $0.writers[number].connection = .ready } }
    case .ready:
      // The row of the log is locked while an append waits for the standby.
      if world.leader.count > world.visible { return }
      if world.leader[..<world.visible].contains(number) {
        add { $0.writers[number].isAcknowledged = true }
      } else if writer.place == world.leader.count {
        add { world in
          world.writers[number].waiting = world.leader.count
          world.leader.append(number)
        }
      } else if writer.place < world.visible {
        add { $0.writers[number].place = $0.visible }
      }
    }
  }
}
