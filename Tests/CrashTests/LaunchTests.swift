import Foundation
import XCTest

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Launches that die while they restore, and scenes whose processes died.
final class LaunchTests: CrashTestCase {
  private var store: String { folder + "/store" }

  private func launch(
    dyingAt deadly: String = "", then: String = "", conflict: String = "", at path: String? = nil
  ) throws -> [String] {
    let child = try Child("launch", path ?? store, ["dies": deadly, "then": then, "conflict": conflict])
    let lines = child.lines()
    for line in lines where line.hasPrefix("problem") { XCTFail(line) }
    XCTAssertEqual(child.end(), .signalled(SIGKILL))
    return lines
  }

  func testAnEditorThatKillsEveryLaunchIsLeftOutOfTheThirdAndItsEditsComeBackWhenItDoesNot() throws {
    XCTAssertEqual(try launch(then: "flushes"), ["typed", "last exit unknown"])
    XCTAssertEqual(try launch(dyingAt: "bad"), [])
    XCTAssertEqual(try launch(dyingAt: "bad"), [])
    for exit in ["crashedWhileRestoring", "crashed", "crashed"] {
      XCTAssertEqual(
        try launch(dyingAt: "bad"),
        [
          "last exit \(exit)", "good shows 1",
          "bad quarantined: the last two launches ended while making it", "orphaned bad",
        ])
    }
  }

  func testOnlyALaunchThatLostNothingIsACleanExit() throws {
    for (then, exit) in [
      ("flushes", "clean"), ("closes", "clean"), ("", "crashed"), ("flushes and types", "crashed"),
    ] {
      let path = store + then
      _ = try launch(at: path)
      _ = try launch(then: then, at: path)
      XCTAssertEqual(try launch(at: path).first, "last exit \(exit)", then)
    }
  }

  func testASignalThatIsWaitedForIsACleanExit() throws {
    _ = try launch()
    let child = try Child("launch", store, ["dies": "", "then": "waits for a signal"])
    while let line = child.line(), line != "waits" {}
    child.tell(SIGTERM)
    XCTAssertEqual(child.end(), .signalled(SIGTERM))
    XCTAssertEqual(try launch().first, "last exit clean")
  }

  func testTheSceneOfALiveProcessIsRefusedAndThatOfADeadOneTakenOver() throws {
    _ = try launch()
    let holder = try Child("launch", store, ["dies": "", "then": "holds"])
    while let line = holder.line(), line != "holds" {}
    XCTAssertEqual(try play("launch", ["dies": "", "then": ""]), ["in use by \(holder.process)"])
    // A process that does not answer lives.
    holder.stop()
    XCTAssertEqual(try play("launch", ["dies": "", "then": ""]), ["in use by \(holder.process)"])
    // What a machine finds that starts again: the files of a process that still had them open.
    let copy = store + " after another start of the machine"
    try FileManager.default.copyItem(atPath: store, toPath: copy)
    XCTAssertEqual(try launch(at: copy), ["last exit crashed", "good shows 1", "bad shows 1"])
    holder.kill()
    XCTAssertEqual(try launch(), ["last exit crashed", "good shows 1", "bad shows 1"])
  }

  func testTheSceneOfALiveProcessIsTakenOverIfThatAllowsItAndWithWhatWasJustTyped() throws {
    _ = try launch()
    let holder = try Child("launch", store, ["dies": "", "then": "yields"])
    while let line = holder.line(), line != "holds" {}
    XCTAssertEqual(try launch(conflict: "take over"), ["last exit clean", "good shows 2", "bad shows 1"])
    XCTAssertEqual(holder.line(), "taken over")
  }

  func testNothingIsTakenFromAProcessThatDoesNotAllowItOrDoesNotAnswer() throws {
    _ = try launch()
    let holder = try Child("launch", store, ["dies": "", "then": "holds"])
    while let line = holder.line(), line != "holds" {}
    XCTAssertEqual(
      try play("launch", ["dies": "", "then": "", "conflict": "take over"]), ["in use by \(holder.process)"])
    holder.kill()
    let hung = try Child("launch", store, ["dies": "", "then": "yields"])
    while let line = hung.line(), line != "holds" {}
    hung.stop()
    XCTAssertEqual(
      try play("launch", ["dies": "", "then": "", "conflict": "take over"]), ["in use by \(hung.process)"])
    // What rang is heard once it goes on.
    hung.proceed()
    XCTAssertEqual(hung.line(), "taken over")
  }

  func testTheSceneOfALiveProcessCanBeSeenReadOnly() throws {
    _ = try launch()
    let holder = try Child("launch", store, ["dies": "", "then": "holds"])
    while let line = holder.line(), line != "holds" {}
    let lines = try launch(conflict: "read only")
    XCTAssertEqual(lines.first, "last exit unknown")
    XCTAssertEqual(lines.count, 3, "the other process has the contexts: \(lines)")
    for line in lines.dropFirst() { XCTAssertTrue(line.contains("failed: "), line) }
    holder.kill()
    XCTAssertEqual(try launch(), ["last exit crashed", "good shows 1", "bad shows 1"])
  }
}
