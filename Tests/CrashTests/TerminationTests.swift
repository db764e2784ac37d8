import XCTest

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

final class TerminationTests: CrashTestCase {
  func testWhatWasTypedBeforeASignalThatEndsTheProcessIsKept() throws {
    for signal in [SIGTERM, SIGHUP, SIGINT] { XCTAssertEqual(try found(after: signal), "found 1", "signal \(signal)") }
  }

  func testAllScenesOfTheProcessAreSavedWhicheverStoreTheyAreInAndWhicheverWasTold() throws {
    let path = folder + "/windows"
    let child = try Child("type in windows", path)
    XCTAssertEqual(child.line(), "typed")
    child.tell(SIGTERM)
    XCTAssertEqual(child.end(), .signalled(SIGTERM))
    XCTAssertEqual(
      try play("look at windows", at: path), ["one", "two", "four", "three"].map { "typed in \($0), clean" })
  }

  func testWhatWasTypedInAStoreWithoutScenesIsKeptWhenASignalEndsTheProcess() throws {
    XCTAssertEqual(try foundElsewhere(SIGTERM), ["clean", "found 1"])
    XCTAssertEqual(try foundElsewhere(SIGTERM, busy: true).last, "found 1")
  }

  func testWhatWasTypedInAStoreThatARegisteredObjectHidesIsKeptWhenASignalEndsTheProcess() throws {
    XCTAssertEqual(try foundElsewhere(SIGTERM, hiding: true), ["clean", "found 1"])
    XCTAssertEqual(try foundElsewhere(SIGTERM, busy: true, hiding: true).last, "found 1")
  }

  func testWhatWasTypedInAStoreWithoutScenesIsKeptByAFlush() throws {
    XCTAssertEqual(try foundElsewhere(SIGKILL, flushing: true), ["clean", "found 1"])
    XCTAssertEqual(try foundElsewhere(SIGKILL), ["crashed", "found 0"], "or the test would show nothing")
  }

  private func foundElsewhere(
    _ signal: Int32, flushing: Bool = false, busy: Bool = false, hiding: Bool = false
  ) throws -> [String] {
    let path = folder + "/elsewhere-\(signal)-\(flushing)-\(busy)-\(hiding)"
    func text(_ isSo: Bool) -> String { isSo ? "yes" : "no" }
    let child = try Child(
      "type elsewhere", path, ["flushes": text(flushing), "busy": text(busy), "hides": text(hiding)])
    XCTAssertEqual(child.line(), "typed")
    child.tell(signal)
    XCTAssertEqual(child.end(), .signalled(signal))
    return try play("look elsewhere", at: path)
  }

  func testABusyMainActorDoesNotKeepTypingFromBeingWritten() throws {
    XCTAssertEqual(try found(after: SIGTERM, busy: true), "found 1")
  }

  #if os(Linux)
  /// The kernel ignores a signal that process 1 of a container sends itself, unless a handler catches it.
  func testASignalEndsTheFirstProcessOfAContainer() throws {
    for signal in [SIGTERM, SIGHUP, SIGINT] {
      let path = folder + "/container-\(signal)"
      XCTAssertEqual(try endingInAContainer(path, signal), .exited(128 + signal), "signal \(signal)")
      XCTAssertEqual(try play("look at typing", at: path), ["found 1"])
    }
  }

  func testASecondSignalEndsTheFirstProcessOfAContainerAtOnce() throws {
    let path = folder + "/container"
    XCTAssertEqual(try endingInAContainer(path, SIGTERM, busy: true, times: 2), .exited(128 + SIGTERM))
    XCTAssertEqual(try play("look at typing", at: path), ["found 0"], "it did not wait for the first")
  }

  /// How a process 1 ends that sends itself a signal.
  private func endingInAContainer(
    _ path: String, _ signal: Int32, busy: Bool = false, times: Int = 1
  ) throws -> Child.Ending {
    let start = """
      for how in "--pid --fork" "--pid --fork --user --map-root-user"; do
        if unshare $how true; then exec unshare $how "$0" "$@"; fi
      done
      exit 77
      """
    let child = try Child(
      "type", path,
      ["flushes": "yes", "busy": busy ? "yes" : "no", "signal": "\(signal)", "times": "\(times)"],
      through: ["sh", "-c", start])
    _ = child.lines()
    let ending = child.end()
    if ending == .exited(77) { throw XCTSkip("this system lets this user make no processes of its own world") }
    return ending
  }
  #endif

  func testWithoutTheCallASignalTakesWhatIsNotYetWritten() throws {
    XCTAssertEqual(try found(after: SIGTERM, flushing: false), "found 0")
  }

  private func found(after signal: Int32, flushing: Bool = true, busy: Bool = false) throws -> String? {
    let path = folder + "/store-\(signal)"
    let child = try Child("type", path, ["flushes": flushing ? "yes" : "no", "busy": busy ? "yes" : "no"])
    XCTAssertEqual(child.line(), "typed")
    child.tell(signal)
    XCTAssertEqual(child.end(), .signalled(signal), "the signal does what it did before")
    return try play("look at typing", at: path).last
  }
}
