import Foundation
import RepriseTestSeeds
import Synchronization
import XCTest

/// `kill -9` at random moments: while a store is made, opened, saved into, edited in, checkpointed.
///
/// After each kill the next process finds every save that was acknowledged, none in part, and drafts no older than
/// what the journal had written. `REPRISE_KILLS` sets the number of kills, `REPRISE_SEED` repeats a run as far as the
/// machine's clock lets it.
final class KillTests: CrashTestCase {
  func testNoKillLosesAnAcknowledgedSaveOrATickOfADraftOrLeavesPartOfOne() throws {
    let found = kill(Self.kills)
    for problem in found.problems { XCTFail(problem) }
    XCTAssertGreaterThan(found.lives, Self.kills / 3, "most were killed before they looked around; seed \(Self.seed)")
    XCTAssertGreaterThan(found.acknowledged, Self.kills, "hardly anything was saved; seed \(Self.seed)")
    print(
      "killed \(Self.kills) times, found \(found.lives) times what \(found.acknowledged) acknowledgements promised; "
        + "seed \(Self.seed)")
  }

  func testASaveThatIsAcknowledgedTooEarlyIsFoundOut() {
    XCTAssertFalse(kill(60, canary: "early").problems.isEmpty)
  }

  func testASaveInTwoPartsIsFoundOut() {
    XCTAssertFalse(kill(60, canary: "torn").problems.isEmpty)
  }

  func testADraftThatIsAcknowledgedBeforeItIsWrittenIsFoundOut() {
    XCTAssertFalse(kill(60, canary: "draft").problems.isEmpty)
  }

  private struct Findings {
    var problems: [String] = []
    var lives = 0
    var acknowledged = 0
  }

  /// Kills savers until there were so many kills. Several live at a time, each in a store of its own.
  private func kill(_ kills: Int, canary: String = "") -> Findings {
    let workers = 3
    let folder = folder
    let all = Mutex(Findings())
    DispatchQueue.concurrentPerform(iterations: workers) { worker in
      var random = SeededGenerator(seed: Self.seed &+ UInt64(worker) &* 1_000_003)
      var left = (kills + worker) / workers
      while left > 0 && (canary.isEmpty || all.withLock { $0.problems.isEmpty }) {
        let lives = min(left, Int.random(in: 4...16, using: &random))
        left -= lives
        let path = "\(folder)/\(canary)\(worker)-\(left)"
        let ledger = Self.history(path, lives, canary, &random)
        all.withLock { all in
          all.problems += ledger.problems.map { "\($0); seed \(Self.seed), store \(worker)-\(left)" }
          all.lives += ledger.lives
          all.acknowledged += ledger.acknowledged
        }
        if !ledger.problems.isEmpty { Self.keep(ledger.history, as: "\(worker)-\(left)") }
        try? FileManager.default.removeItem(atPath: path)
      }
    }
    return all.withLock { $0 }
  }

  /// The lives of savers in one store, one after the other.
  private static func history(
    _ path: String, _ lives: Int, _ canary: String, _ random: inout SeededGenerator
  ) -> Ledger {
    var ledger = Ledger(["log": "0,0,0,0@1", "desk": "0,0", "sheet": "0"])
    do {
      for life in 0..<lives {
        let seed = Int.random(in: 0...Int.max, using: &random)
        let flushes = Int.random(in: 0..<6, using: &random) == 0 ? "yes" : "no"
        let child = try Child(
          "save", path,
          ["seed": "\(seed)", "from": "\(1 + life * 10_000)", "canary": canary, "flushes": flushes])
        listen(to: child, &ledger, &random)
        child.kill()
        while let line = child.line() { ledger.hear(line) }
        let wasKilled = child.end() == .signalled(SIGKILL)
        let hasClosed = child.end() == .exited(0) && ledger.history.last == "closed"
        if !wasKilled && !hasClosed { ledger.hear("problem it \(child.end()) by itself") }
      }
      let child = try Child("verify", path)
      // The positions that may be the log's last.
      let heads = ledger.possible("log").compactMap { $0.split(separator: "@").last }
      for line in child.lines() where !heads.contains(where: { line == "verified \($0)" }) { ledger.hear(line) }
      if child.end() != .exited(0) { ledger.hear("problem verify \(child.end())") }
    } catch {
      ledger.hear("problem \(error)")
    }
    return ledger
  }

  /// Listens until it is time for the kill.
  private static func listen(to child: Child, _ ledger: inout Ledger, _ random: inout SeededGenerator) {
    var deadline = Date(timeIntervalSinceNow: .random(in: 0...0.025, using: &random))
    if Int.random(in: 0..<4, using: &random) > 0 {
      for _ in 0...Int.random(in: 0...50, using: &random) {
        guard let line = child.line() else { return }
        ledger.hear(line)
      }
      deadline = Date(timeIntervalSinceNow: .random(in: 0...0.003, using: &random))
    }
    while let line = child.line(until: deadline) { ledger.hear(line) }
  }
}
