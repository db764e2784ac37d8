import Foundation
import XCTest

/// A process that is stopped in the middle of a commit, or of what takes several, and others that use the store.
final class StoppedTests: CrashTestCase {
  /// So long nothing waits that is not stuck.
  private var deadline: Date { Date(timeIntervalSinceNow: 120) }

  private func names(_ process: Child, _ line: String) -> Bool { line.contains("Process \(process.process) ") }

  /// Stops a process at one write after the other, each time in a store of its own. Each time, one process opens the
  /// store with little patience, one is cancelled, and one goes on when the first does.
  private func openBeside(_ work: String, every step: Int = 1) throws {
    var refusals = 0
    for write in stride(from: 1, through: .max, by: step) {
      let store = "\(folder)/\(write)"
      try play("stop prepare", ["work": work], at: store)
      let stopped = try Child("stop", store, ["work": work, "write": "\(write)"])
      guard stopped.hasStopped() else { break }
      let hasty = try Child("open beside", store, ["work": work, "limit": "50"])
      XCTAssertEqual(hasty.line(until: deadline), "opens")
      let answer = hasty.line(until: deadline) ?? "stuck"
      if answer.hasPrefix("refused writerBusy") {
        XCTAssert(names(stopped, answer), "at write \(write): \(answer)")
        refusals += 1
      } else {
        XCTAssertEqual(answer, "opened", "at write \(write)")
      }
      hasty.kill()
      let cancelled = try Child("open beside", store, ["work": work, "limit": "600000", "cancels": "yes"])
      XCTAssertEqual(cancelled.line(until: deadline), "opens")
      let outcome = cancelled.line(until: deadline) ?? "stuck"
      XCTAssert(
        answer == "opened" ? outcome == "opened" : outcome.contains("was cancelled"), "at write \(write): \(outcome)")
      cancelled.kill()
      let patient = try Child("open beside", store, ["work": work, "limit": "600000"])
      XCTAssertEqual(patient.line(until: deadline), "opens")
      stopped.proceed()
      XCTAssertEqual(stopped.line(until: deadline), "done")
      XCTAssertEqual(patient.line(until: deadline), "opened")
      XCTAssertEqual(patient.end(), .exited(0))
      try play("stop verify", ["work": work], at: store)
    }
    XCTAssertGreaterThan(refusals, 0)
  }

  func testOpeningBesideAProcessStoppedAsItMakesTheStore() throws { try openBeside("make") }
  func testOpeningBesideAProcessStoppedAsItMigrates() throws { try openBeside("migrate", every: 2) }
  func testOpeningBesideAProcessStoppedAsItIndexes() throws { try openBeside("grow", every: 3) }

  func testTheMainActorIsFreeWhileAnotherProcessIsStopped() throws {
    for write in 1...5 {
      let store = "\(folder)/\(write)"
      let stopped = try Child("stop", store, ["work": "make", "write": "\(write)"])
      XCTAssert(stopped.hasStopped())
      let child = try Child("open from the main actor", store)
      XCTAssertEqual(child.line(until: deadline), "free", "at write \(write)")
      let answer = child.line(until: deadline) ?? "stuck"
      XCTAssert(answer.contains("was cancelled"), "at write \(write): \(answer)")
    }
  }

  /// A context with a draft is made at once, or not.
  func testADraftThatAStoppedProcessHasLeft() throws {
    let store = "\(folder)/store"
    try play("make", at: store)
    let stopped = try Child("stop", store, ["work": "leave", "write": "2"])
    XCTAssert(stopped.hasStopped())
    let child = try Child("take beside", store, ["limit": "50"])
    let answer = child.line(until: deadline) ?? "stuck"
    XCTAssert(answer.hasPrefix("refused writerBusy") && names(stopped, answer), answer)
    stopped.proceed()
    XCTAssertEqual(stopped.line(until: deadline), "done")
    XCTAssertEqual(child.lines().last, "took 1")
    try play("verify", at: store)
  }

  /// A draft of before a migration is written when it is resumed. The caller cannot suspend, so it waits briefly, and
  /// not as long as a save.
  func testAConvertedDraftBesideAStoppedProcess() throws {
    let store = "\(folder)/store"
    try play("stop prepare", ["work": "convert"], at: store)
    XCTAssertEqual(try play("open beside", ["work": "convert"], at: store), ["opens", "opened"])
    let stopped = try Child("stop", store, ["work": "convert", "write": "1"])
    XCTAssert(stopped.hasStopped())
    let child = try Child("take beside", store, ["work": "convert", "limit": "600000"])
    let answer = child.line(until: deadline) ?? "stuck"
    XCTAssert(answer.hasPrefix("refused writerBusy") && names(stopped, answer), answer)
    stopped.proceed()
    XCTAssertEqual(stopped.line(until: deadline), "done")
    XCTAssertEqual(child.lines().last, "took 1")
  }

  /// None waits for the others to give up first.
  func testManySavesBesideAStoppedProcessEndTogether() throws {
    let store = "\(folder)/store"
    try play("make", at: store)
    let stopped = try Child("stop", store, ["work": "save", "write": "1"])
    XCTAssert(stopped.hasStopped())
    let child = try Child("save at once", store, ["limit": "2000", "saves": "100"])
    let deadline = deadline
    for _ in 0..<100 {
      let answer = child.line(until: deadline) ?? "stuck"
      guard answer.hasPrefix("refused This save wrote nothing. Process \(stopped.process) ") else {
        return XCTFail(answer)
      }
    }
    XCTAssertEqual(child.line(until: deadline), "done")
  }

  /// An opening that finds an after-image while another process has the lock cannot repeat the commit. Its first save
  /// does, if that process has died.
  func testACommitThatDiesBesideAnOpeningIsRepeated() throws {
    let store = "\(folder)/store"
    try play("make", at: store)
    // Its first write is the after-image.
    let stopped = try Child("stop", store, ["work": "save", "write": "1"])
    XCTAssert(stopped.hasStopped())
    let child = try Child("save beside", store, ["limit": "600000"])
    XCTAssertEqual(child.line(until: deadline), "opened")
    stopped.kill()
    XCTAssertEqual(child.lines().last, "saved 2")
    XCTAssertEqual(child.end(), .exited(0))
    try play("verify", at: store)
  }

  func testASaveBesideAProcessStoppedInACommit() throws {
    var refusals = 0
    for write in 1... {
      let store = "\(folder)/\(write)"
      try play("make", at: store)
      let stopped = try Child("stop", store, ["work": "save", "write": "\(write)"])
      guard stopped.hasStopped() else { break }
      let hasty = try Child("save beside", store, ["limit": "50"])
      XCTAssertEqual(hasty.line(until: deadline), "opened")
      let answer = hasty.line(until: deadline) ?? "stuck"
      XCTAssert(answer.hasPrefix("refused writerBusy"), "at write \(write): \(answer)")
      if names(stopped, answer) { refusals += 1 }
      let cancelled = try Child("save beside", store, ["limit": "600000", "cancels": "yes"])
      XCTAssertEqual(cancelled.line(until: deadline), "opened")
      XCTAssertEqual(cancelled.line(until: deadline), "cancelled")
      let patient = try Child("save beside", store, ["limit": "600000"])
      XCTAssertEqual(patient.line(until: deadline), "opened")
      stopped.proceed()
      XCTAssertEqual(stopped.line(until: deadline), "done")
      for child in [hasty, cancelled, patient] {
        var lines = child.lines()
        XCTAssertEqual(lines.popLast()?.hasPrefix("saved"), true)
        XCTAssertEqual(lines.filter { !$0.hasPrefix("refused writerBusy") && $0 != "cancelled" }, [])
        XCTAssertEqual(child.end(), .exited(0))
      }
      try play("verify", at: store)
    }
    XCTAssertGreaterThan(refusals, 0)
  }
}
