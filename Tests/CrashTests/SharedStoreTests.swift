import Foundation
import RepriseTestSeeds
import XCTest

/// Several processes in one store.
final class SharedStoreTests: CrashTestCase {
  private var store: String { folder + "/store" }

  private func writer(_ name: String, limit: Int? = nil) throws -> Child {
    let seed = "\(Self.seed &+ UInt64(name.utf8.first ?? 0))"
    return try Child("count", store, ["name": name, "seed": seed, "limit": "\(limit ?? 1_000_000)"])
  }

  func testTwoProcessesThatWriteAtOnceLoseNoUpdateAndAThirdReadsOnlyWholeTransactions() throws {
    try play("prepare")
    let limit = 150
    let reader = try Child("watch", store, ["until": "\(2 * limit)"])
    let writers = [try writer("a", limit: limit), try writer("b", limit: limit)]
    for child in writers + [reader] {
      let lines = child.lines()
      XCTAssertEqual(lines.filter { $0.hasPrefix("problem") }, [])
      XCTAssertTrue(lines.last?.hasPrefix("done \(limit)") ?? false || lines.last?.hasPrefix("watched") ?? false)
      XCTAssertEqual(child.end(), .exited(0))
    }
    XCTAssertEqual(try play("tally"), ["tally \(2 * limit) a \(limit) b \(limit)"])
  }

  /// No write gives up, and the list of a third process follows.
  func testWritesOfTwoProcessesShowInAList() throws {
    try play("prepare")
    let list = try Child("show together", store, ["last": "200"])
    XCTAssertEqual(list.line(), "shows 0")
    let writers = try (0..<2).map { _ in try Child("add together", store, ["times": "100"]) }
    for writer in writers { XCTAssertEqual(writer.lines(), ["added 100"]) }
    XCTAssertEqual(list.line(until: Date(timeIntervalSinceNow: 30)), "showed 200")
  }

  /// The tool has no models of the store.
  func testAToolFollowsTheWritesOfTwoProcesses() throws {
    try play("prepare")
    let tool = try Child("inspect", store, ["last": "200"])
    XCTAssertEqual(tool.line(), "shows 0")
    let writers = try (0..<2).map { _ in try Child("add together", store, ["times": "100"]) }
    for writer in writers { XCTAssertEqual(writer.lines(), ["added 100"]) }
    XCTAssertEqual(tool.line(until: Date(timeIntervalSinceNow: 30)), "showed 200")
  }

  /// Undo goes on in another process of the author; a third hears of each transaction without reading the store.
  func testAnotherProcessTakesBackWhatOneSavedAndAThirdHearsOfEach() throws {
    try play("prepare")
    let listener = try Child("hear", store)
    let first = try XCTUnwrap(listener.line()).number(after: "listens") + 1
    try play("tell")
    try play("take back")
    XCTAssertEqual(
      listener.lines(),
      [
        "heard \(first) undoes nothing stamp 5 text 0",
        "heard \(first + 1) undoes nothing stamp 5 text 100000",
        "heard \(first + 2) undoes \(first + 1) stamp 5 text 0",
        "heard \(first + 3) undoes \(first) stamp 0 text 0",
        "heard \(first + 4) undoes \(first + 3) stamp 5 text 0",
        "heard \(first + 5) undoes nothing stamp 5 text 0",
      ])
    XCTAssertEqual(listener.end(), .exited(0))
  }

  /// What a writer said: what it is sure of, and what it had begun.
  private struct Count {
    var certain = 0
    var begun = 0

    mutating func hear(_ line: String) {
      if line.hasPrefix("counted ") { certain = line.number(after: "counted") }
      if line.hasPrefix("counting ") { begun = line.number(after: "counting") }
      if line.hasPrefix("problem ") { XCTFail("\(line); seed \(CrashTestCase.seed)") }
    }
  }

  func testASaveThatItsProcessDidNotLiveToTellOfIsThereAtOnceOrNever() throws {
    try play("prepare")
    // As long as somebody has the store, nobody else begins with a lock file of its own.
    let holder = try Child("hold", store)
    XCTAssertEqual(holder.line(), "holds")
    var (saved, died) = (0, 0)
    while saved == 0 {
      let child = try Child("save and die", store, ["write": "\(died + 1)"])
      if child.lines().last == "saved" { saved += 1 } else { died += 1 }
      XCTAssertTrue([.exited(0), .signalled(SIGKILL)].contains(child.end()))
      try play("look twice")
    }
    XCTAssertGreaterThan(died, 3)
  }

  func testAKilledWriterNeitherStopsTheOtherNorTakesBackWhatItAcknowledged() throws {
    try play("prepare")
    var random = SeededGenerator(seed: Self.seed)
    var counts = ["a": Count(), "b": Count()]
    for round in 0..<Self.kills / 10 {
      let writers = ["a": try writer("a"), "b": try writer("b")]
      let (first, second) = Bool.random(using: &random) ? ("a", "b") : ("b", "a")
      // Somewhere between the start of both and the middle of their saves.
      if let child = writers[first] {
        let deadline = Date(timeIntervalSinceNow: .random(in: 0...0.06, using: &random))
        while let line = child.line(until: deadline) { counts[first]?.hear(line) }
        child.kill()
        while let line = child.line() { counts[first]?.hear(line) }
      }
      if let child = writers[second] {
        // It goes on, though the other may have died with the writer's lock.
        var more = Int.random(in: 1...6, using: &random)
        while more > 0, let line = child.line(until: Date(timeIntervalSinceNow: 30)) {
          counts[second]?.hear(line)
          if line.hasPrefix("counted") { more -= 1 }
        }
        XCTAssertEqual(more, 0, "the survivor stands still; round \(round), seed \(Self.seed)")
        child.kill()
        while let line = child.line() { counts[second]?.hear(line) }
      }
      let tally = try play("tally").last ?? ""
      for (name, count) in counts {
        let found = tally.number(after: name)
        XCTAssert(
          (count.certain...max(count.certain, count.begun)).contains(found),
          "\(name) has \(found), of \(count); round \(round), seed \(Self.seed)")
        counts[name] = Count(certain: found, begun: found)
      }
    }
  }
}
