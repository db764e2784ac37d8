import Foundation
import XCTest

@testable import LatencyRunner

final class ProgramTests: XCTestCase {
  private func shell(_ script: String) -> Program { Program(path: "sh", arguments: ["-c", script]) }

  func testOutputStatusAndTheTimeBeforeTheStart() throws {
    let before = Clock.now()
    let run = try shell("echo ready 5; echo no >&2; exit 3").run()
    XCTAssertEqual(run.output, "ready 5\n")
    XCTAssertEqual(run.complaint, "no\n")
    XCTAssertEqual(run.status, 3)
    XCTAssertTrue(before <= run.began && run.began < Clock.now())
  }

  func testMuchOutputDoesNotBlock() throws {
    let run = try shell("head -c 300000 /dev/zero; head -c 300000 /dev/zero >&2").run()
    XCTAssertEqual(run.output.utf8.count, 300_000)
    XCTAssertEqual(run.complaint.utf8.count, 300_000)
  }

  func testAProgramThatDoesNotEndIsKilled() {
    let began = Clock.now()
    XCTAssertThrowsError(try shell("exec sleep 60").run(deadline: 1)) { error in
      XCTAssertEqual(error as? BenchmarkError, .failed("not done after 1 s"))
    }
    XCTAssertLessThan(Clock.now() - began, 30_000_000_000)
  }

  func testASignalIsAFailure() {
    XCTAssertThrowsError(try shell("kill -9 $$").run()) { error in
      XCTAssertTrue("\(error)".contains("signal 9"), "\(error)")
    }
  }

  func testAStatusSaysWhetherThePeerHasACounterpart() throws {
    XCTAssertThrowsError(try Worker.check(shell("exit 64").run())) { error in
      XCTAssertEqual(error as? BenchmarkError, .unsupported)
    }
    XCTAssertThrowsError(try Worker.check(shell("echo broken >&2; exit 1").run())) { error in
      XCTAssertEqual(error as? BenchmarkError, .failed("exit status 1 broken"))
    }
  }
}
