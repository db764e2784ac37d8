import Foundation
import RepriseTestSeeds
import XCTest

/// Many processes in one store, killed and stopped: nothing that was acknowledged is lost, doubled or there in part;
/// what was typed longer ago than the journal's limit is there; every draft and scene is to be had, by one at a time;
/// nothing hangs.
///
/// `REPRISE_KILLS` sets the number of kills, and `REPRISE_PROCESSES` how many processes there are at a time.
/// `REPRISE_SEED` repeats a run as far as the machine's clock lets it.
final class StormTests: CrashTestCase {
  func testNoStormLosesOrDoublesWhatWasAcknowledgedOrLeavesADraftThatCannotBeHad() throws {
    try report(storms(Self.kills))
  }

  func testNoStormOverASharedLogLosesOrDoublesASave() throws { try report(storms(Self.kills, isShared: true)) }

  private func report(_ found: Findings) {
    for problem in found.problems { XCTFail(problem) }
    XCTAssertGreaterThan(found.acknowledged, Self.kills, "hardly anything was done; seed \(Self.seed)")
    print(
      "killed \(found.kills) times, \(found.mute) of them before a word, and \(found.deaths) times at a write; stopped "
        + "\(found.stops) times; found "
        + "\(found.lives) times what \(found.acknowledged) acknowledgements promised; no typing was lost that was "
        + "older than \(found.oldestLost * 25) ms; seed \(Self.seed)")
  }

  // MARK: Mistakes that it must find out

  func testASaveThatIsAcknowledgedTooEarlyIsFoundOut() throws { try findsOut("early", "only") }

  func testASaveInTwoPartsIsFoundOut() throws { try findsOut("torn", "make") }

  /// It shows in a draft that somebody has left as well: it is let go of once the journal has it, here never.
  func testTypingThatTheJournalDoesNotWriteIsFoundOut() throws {
    try findsOut("deaf", "only", "and nobody has it", part: "type")
  }

  /// Twice as late as it may be, on a machine that lets it.
  func testTypingThatTheJournalWritesTooLateIsFoundOut() throws { try findsOut("slow", "only", part: "type") }

  func testADraftThatIsNotTakenUpIsFoundOut() throws { try findsOut("replaced", "desk", part: "type") }

  func testADraftThatTwoMayHaveIsFoundOut() throws { try findsOut("unclaimed", "is had by", part: "type") }

  func testASceneThatTwoMayHaveIsFoundOut() throws {
    try findsOut(
      "unclaimed", "is had by", "nodes/", "Entry(", "comes back as", "and its state is of", "another open screen",
      part: "show")
  }

  /// In its nodes, or in one that has lost its draft, which went with the scene.
  func testASceneThatIsNotRemovedIsFoundOut() throws {
    try findsOut("undead", "nodes/", "and its state is of", part: "show")
  }

  /// In what a launch finds, or already in what its owner does when the scene is let go of and taken up again. A node
  /// that is written into an ended scene lacks the scene's record.
  func testAnOnlookerWhoWritesIsFoundOut() throws {
    try findsOut("forging", "nodes/", "Entry(", "comes back as", "left out", part: "show")
  }

  func testAMoveInTwoStepsIsFoundOut() throws { try findsOut("careless", "nodes/", part: "show") }

  func testAnOldStateThatIsWrittenAsIfItWasNewIsFoundOut() throws { try findsOut("stale", "dial/", part: "share") }

  func testAServerThatIsToldTwiceIsFoundOut() throws { try findsOut("keyless", "the server", part: "sync") }

  func testAnEditThatIsNotSentIsFoundOut() throws { try findsOut("unsent", "has saved", part: "sync") }

  func testAProcessThatHangsIsFoundOut() throws { try findsOut("mute", "hangs") }

  /// - Parameter words: In which the mistake shows, each on its own.
  private func findsOut(_ canary: String, _ words: String..., part: String? = nil) throws {
    let found = try storms(300, only: part, canary: canary)
    let isFound = found.problems.contains { problem in words.contains { problem.contains($0) } }
    XCTAssertTrue(isFound, "\(found.problems); seed \(Self.seed)")
  }

  private struct Findings {
    var problems: [String] = []
    var kills = 0
    var deaths = 0
    var mute = 0
    var stops = 0
    var lives = 0
    var acknowledged = 0
    var oldestLost = 0
  }

  /// Storms over new stores, until there were so many kills or something is wrong.
  private func storms(_ kills: Int, only part: String? = nil, isShared: Bool = false, canary: String = "") throws
    -> Findings
  {
    var findings = Findings()
    let processes = ProcessInfo.processInfo.environment["REPRISE_PROCESSES"].flatMap { Int($0) } ?? 0
    var random = SeededGenerator(seed: Self.seed)
    while findings.kills < kills && findings.problems.isEmpty {
      let name = "\(canary)\(findings.kills)"
      let path = "\(folder)/\(name)"
      let silence = canary == "mute" ? 1.0 : 60
      var storm = try Storm(
        path, seed: random.next(), only: part, processes: processes, isShared: isShared, canary: canary,
        silence: silence)
      try storm.rage(min(kills - findings.kills, Int.random(in: 40...160, using: &random)))
      findings.problems += storm.problems.map { "\($0); seed \(Self.seed), store \(name)" }
      findings.kills += storm.kills
      findings.deaths += storm.deaths
      findings.mute += storm.mute
      findings.stops += storm.stops
      findings.lives += storm.ledger.lives
      findings.acknowledged += storm.ledger.acknowledged
      findings.oldestLost = max(findings.oldestLost, storm.ledger.oldestLost)
      if canary.isEmpty && !storm.problems.isEmpty { Self.keep(storm.ledger.history, as: name) }
      for end in ["", "-log"] { try? FileManager.default.removeItem(atPath: path + end) }
    }
    return findings
  }
}
