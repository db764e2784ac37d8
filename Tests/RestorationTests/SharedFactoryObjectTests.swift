import RepriseRestoration
import RepriseTestSeeds
import XCTest

/// An object that the factories of several scenes give: one state for one object.
final class SharedFactoryObjectTests: RestorationTestCase {
  @MainActor private final class Counter {
    static let key: RestorationKey<Counter> = "counter"
    let node: RestorationNode<Row>
    init(_ node: RestorationNode<Row>) { self.node = node }
  }

  @MainActor private final class CounterScreen {
    static let kind = NodeKind<Row, CounterScreen>("counter screen")
    let counter: Counter
    init(_ counter: Counter) { self.counter = counter }
  }

  /// What a process has: the counter is made once in it.
  @MainActor private final class Process {
    var counter: Counter?
    var problems: [RestorationError] = []
    var row: Int? { counter?.node.state.row }
  }

  private var time: Int64 = 1_000_000_000

  private func launch(_ scene: String, _ process: Process) async throws -> Restoration {
    time += 1_000
    let run = Restoration(storage: storage, scene: scene, now: { [unowned self] in time })
    run.onProblem = { process.problems.append($0) }
    try run.define(object: Counter.key, initial: Row(row: -1)) { node in
      if let counter = process.counter { return counter }
      let counter = Counter(node)
      process.counter = counter
      return counter
    }
    try run.define(CounterScreen.kind, needs: .registered(Counter.key)) { _, counter in CounterScreen(counter) }
    try await run.restore()
    return run
  }

  private func open(_ run: Restoration) throws { _ = try run.open(CounterScreen.kind, id: "a", state: Row()) }

  private func row(in scenes: String...) async throws -> Int? {
    let process = Process()
    for scene in scenes { _ = try await launch(scene, process) }
    return process.row
  }

  private var shared: [String: [UInt8]] { storage.scenes["//objects"] ?? [:] }

  /// Two scenes with one counter, as an earlier process left them.
  private func leaveShared(_ row: Int) async throws {
    let process = Process()
    let runs = [try await launch("one", process), try await launch("two", process)]
    for run in runs { try open(run) }
    process.counter?.node.state.row = row
    await endOfTurn()
    for run in runs { run.end() }
  }

  func testWhicheverSceneComesBackTheObjectIsAsItWasLast() async throws {
    try await leaveShared(5)
    for scenes in [["one"], ["two"], ["one", "two"], ["two", "one"]] {
      let process = Process()
      for scene in scenes { _ = try await launch(scene, process) }
      XCTAssertEqual(process.row, 5, "\(scenes)")
    }
    XCTAssertEqual(shared.count, 1)
  }

  func testAChangeOfOneSceneAloneCountsForTheOther() async throws {
    try await leaveShared(5)
    let process = Process()
    let two = try await launch("two", process)
    process.counter?.node.state.row = 6
    await endOfTurn()
    two.end()
    let row = try await row(in: "one")
    XCTAssertEqual(row, 6)
  }

  /// Each in a process of its own, before there was a shared record.
  func testOfSeveralStatesTheNewestCountsInWhateverOrderTheScenesComeBack() async throws {
    for (scene, row) in [("one", 1), ("two", 1), ("one", 2)] {
      let process = Process()
      let run = try await launch(scene, process)
      if try run.children(of: nil).isEmpty { try open(run) }
      process.counter?.node.state.row = row
      await endOfTurn()
      run.end()
    }
    let before = storage.scenes
    for scenes in [["one", "two"], ["two", "one"]] {
      storage.scenes = before
      let process = Process()
      let runs = [try await launch(scenes[0], process), try await launch(scenes[1], process)]
      XCTAssertEqual(process.row, 2, "\(scenes)")
      await endOfTurn()
      for run in runs { run.end() }
      for scene in scenes {
        let row = try await row(in: scene)
        XCTAssertEqual(row, 2, "\(scenes), \(scene)")
      }
    }
  }

  func testTheObjectGoesOnWhenTheSceneThatMadeItEnds() async throws {
    let process = Process()
    let (one, two) = (try await launch("one", process), try await launch("two", process))
    try open(one)
    try open(two)
    process.counter?.node.state.row = 1
    await endOfTurn()
    one.end()
    process.counter?.node.state.row = 2
    await endOfTurn()
    two.end()
    XCTAssertTrue(process.problems.isEmpty, "\(process.problems)")
    XCTAssertEqual(process.counter?.node.isClosed, true, "nobody has it any more")
    for scene in ["one", "two"] {
      let row = try await row(in: scene)
      XCTAssertEqual(row, 2, scene)
    }
  }

  func testTheRecordGoesWithTheLastNodeThatNeedsIt() async throws {
    try await leaveShared(5)
    let process = Process()
    let (one, two) = (try await launch("one", process), try await launch("two", process))
    try one.close(at: .of("a"))
    try one.save()
    XCTAssertEqual(shared.count, 1)
    try two.close(at: .of("a"))
    try two.save()
    XCTAssertEqual(shared.count, 0)
  }

  /// The node that the object holds is that of a scene which does not need it any more.
  func testWhatIsSetInTheTurnInWhichASceneLeavesOrEndsIsKept() async throws {
    for ends in [false, true] {
      storage.scenes = [:]
      try await leaveShared(5)
      let process = Process()
      let (one, two) = (try await launch("one", process), try await launch("two", process))
      try one.close(at: .of("a"))
      await endOfTurn()
      process.counter?.node.state.row = 6
      if ends { two.end() } else { try two.close(at: .of("a")) }
      await endOfTurn()
      guard ends else { continue }
      one.end()
      let row = try await row(in: "two")
      XCTAssertEqual(row, 6)
    }
  }

  func testScenesWithObjectsOfTheirOwnHaveStatesOfTheirOwn() async throws {
    for (scene, row) in [("one", 1), ("two", 2)] {
      let process = Process()
      let run = try await launch(scene, process)
      try open(run)
      process.counter?.node.state.row = row
      await endOfTurn()
    }
    let (first, second) = (try await row(in: "one"), try await row(in: "two"))
    XCTAssertEqual([first, second], [1, 2])
  }

  func testTheObjectGoesOnWhenOneSceneEndsAfterTheOtherWhoeverMadeIt() async throws {
    try await leaveShared(5)
    do {
      let process = Process()
      var runs: [Restoration] = []
      for scene in ["one", "two", "three"] { runs.append(try await launch(scene, process)) }
      try open(runs[2])
      await endOfTurn()
      // Its own node was never the object's.
      for index in [2, 0] {
        runs[index].end()
        runs.remove(at: index)
      }
      process.counter?.node.state.row = 6
      await endOfTurn()
      runs[0].end()
    }
    for scene in ["one", "two", "three"] {
      let row = try await row(in: scene)
      XCTAssertEqual(row, 6, scene)
    }
  }

  func testWhereAnotherProcessWritesEachSceneKeepsTheState() async throws {
    try await leaveShared(5)
    storage.scenesElsewhere = ["//objects"]
    let process = Process()
    let runs = [try await launch("one", process), try await launch("two", process)]
    let before = shared
    process.counter?.node.state.row = 6
    await endOfTurn()
    XCTAssertEqual(shared, before)
    for run in runs { run.end() }
    for scene in ["one", "two"] {
      let row = try await row(in: scene)
      XCTAssertEqual(row, 6, scene)
    }
  }

  /// Launches with some of the scenes, which come and end, against what was set last.
  func testInRandomLaunchesOfSomeScenesTheObjectIsAlwaysAsItWasLast() async throws {
    let names = ["one", "two", "three", "four"]
    for seed in testSeeds(40) {
      var generator = RepriseTestSeeds.SeededGenerator(seed: seed)
      storage.scenes = [:]
      try await leaveShared(0)
      var (last, members) = (0, Set(["one", "two"]))
      var trace: [String] = []
      for launch in 0..<20 {
        let place = "seed \(seed), launch \(launch)"
        let process = Process()
        var runs: [(name: String, run: Restoration)] = []
        for name in names.shuffled(using: &generator).prefix(Int.random(in: 1...3, using: &generator)) {
          runs.append((name, try await self.launch(name, process)))
        }
        trace.append("\(launch): \(runs.map(\.name))")
        for step in 0..<Int.random(in: 0...6, using: &generator) {
          guard let (name, run) = runs.randomElement(using: &generator) else { continue }
          switch Int.random(in: 0..<6, using: &generator) {
          case 0:
            // Alone it would have an object of its own.
            guard !members.contains(name), runs.contains(where: { members.contains($0.name) }) else { continue }
            trace.append("\(name) opens")
            try open(run)
            members.insert(name)
          case 1:
            guard members.contains(name), members.count > 1 else { continue }
            trace.append("\(name) closes")
            try run.close(at: .of("a"))
            try run.save()
            members.remove(name)
          case 2, 3:
            guard members.contains(name) else { continue }
            last = launch * 100 + step + 1
            trace.append("sets \(last)")
            process.counter?.node.state.row = last
          case 4:
            trace.append("turn")
            await endOfTurn()
          default:
            // Others of the process go on with the object.
            trace.append("\(name) ends")
            await endOfTurn()
            run.end()
            runs.removeAll { $0.name == name }
          }
        }
        if runs.contains(where: { members.contains($0.name) }) {
          XCTAssertEqual(process.row, last, "\(place), \(trace)")
        }
        await endOfTurn()
        XCTAssertEqual(shared.count, 1, place)
        XCTAssertTrue(process.problems.isEmpty, "\(place): \(process.problems)")
        for (_, run) in runs { run.end() }
      }
    }
  }
}
