import Foundation
import XCTest

@testable import LatencyRunner

final class BudgetTests: XCTestCase {
  private let file = BudgetFile(["restore": [.instructions: 1_000, .flushes: 0], "build": [.buildTime: 4]])

  private func verdicts(_ measured: [String: Counts]) -> [Bool] {
    BudgetCheck(measured, against: file).lines.map(\.isExceeded)
  }

  func testMoreThanOnePercentIsOver() {
    XCTAssertEqual(verdicts(["restore": [.instructions: 1_010]]), [false])
    XCTAssertEqual(verdicts(["restore": [.instructions: 1_011]]), [true])
  }

  func testOneFlushWhereThereWasNoneIsOver() {
    XCTAssertEqual(verdicts(["restore": [.flushes: 0]]), [false])
    XCTAssertEqual(verdicts(["restore": [.flushes: 1]]), [true])
  }

  func testALongerProcessNumberIsNotOver() {
    let file = BudgetFile(["restore": [.bytes: 36]])
    let verdicts = [40, 41].map { BudgetCheck(["restore": [.bytes: $0]], against: file).lines.map(\.isExceeded) }
    XCTAssertEqual(verdicts, [[false], [true]])
  }

  func testATimeHasAWiderMargin() {
    XCTAssertEqual(verdicts(["build": [.buildTime: 4.9]]), [false])
    XCTAssertEqual(verdicts(["build": [.buildTime: 5.1]]), [true])
  }

  func testWhatHasNoBudgetIsOver() {
    XCTAssertEqual(verdicts(["restore": [.faults: 1]]), [true])
    XCTAssertEqual(verdicts(["save": [.instructions: 1]]), [true])
  }

  func testLoweringRaisesNoBudget() {
    var lowered = file
    lowered.take(["restore": [.instructions: 900, .flushes: 2]], onlyLower: true)
    XCTAssertEqual(lowered.budgets["restore"], [.instructions: 900, .flushes: 0])
    lowered.take(["restore": [.instructions: 2_000]], onlyLower: false)
    XCTAssertEqual(lowered.budgets["restore"], [.instructions: 2_000, .flushes: 0])
  }

  func testAFileThatIsWrittenReadsTheSame() throws {
    let path = FileManager.default.temporaryDirectory.path + "/budgets-\(UUID()).json"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try file.write(to: path)
    XCTAssertEqual(try BudgetFile(file: path), file)
  }

  func testAnUnknownCountIsAnError() throws {
    let path = FileManager.default.temporaryDirectory.path + "/budgets-\(UUID()).json"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try "{ \"restore\": { \"instructoins\": 1 } }".write(toFile: path, atomically: true, encoding: .utf8)
    XCTAssertThrowsError(try BudgetFile(file: path)) { XCTAssertTrue("\($0)".contains("instructoins")) }
  }

  func testRoundsAreCountedWithoutWhatSurroundsThem() {
    XCTAssertEqual(Counts.each(of: [.calls: 250], without: [.calls: 50], rounds: 20), [.calls: 10])
  }

  func testCallsAreCountedOnceAndWaitsNotAtAll() {
    let trace = """
      10 execve("worker", ["worker", "restore", "/store"], 0x1) = 0
      10 openat(AT_FDCWD, "libc.so", O_RDONLY) = 3
      10 openat(3</store>, "b", O_RDONLY) = 4
      10 futex(0x1, FUTEX_WAIT, 0) = 0
      11 read(4, <unfinished ...>
      10 close(3) = 0
      11 <... read resumed> ""..., 8) = 8
      11 +++ exited with 0 +++
      10 --- SIGCHLD {si_signo=SIGCHLD} ---
      """
    XCTAssertEqual(Counters.calls(in: trace, from: "/store"), 3)
    XCTAssertEqual(Counters.waits(in: trace), 1)
  }
}
