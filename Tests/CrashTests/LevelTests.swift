import XCTest

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Contexts above each other, edited at each level, before and after a kill.
final class LevelTests: CrashTestCase {
  private func launch(_ seed: Int, unwinds: Bool = false, at path: String) throws -> [String] {
    let child = try Child("levels", path, ["seed": "\(seed)", "unwinds": unwinds ? "yes" : "no"])
    let lines = child.lines()
    for line in lines where line.hasPrefix("problem") { XCTFail("\(line); seed \(seed)") }
    XCTAssertEqual(child.end(), .signalled(SIGKILL))
    return lines
  }

  func testAncestryOverlaysAndStepsOfThreeLevelsAreTheSameBeforeAndAfterAKill() throws {
    for round in 0..<5 {
      let seed = Int(truncatingIfNeeded: Self.seed &+ UInt64(round)) & Int.max
      let store = "\(folder)/store \(round)"
      let before = try launch(seed, at: store)
      XCTAssertEqual(before.first, "ancestry true true")
      XCTAssertEqual(before.count, 4, "seed \(seed)")
      XCTAssertEqual(try launch(seed, at: store), before, "seed \(seed)")
      // What the steps lead back to, in a copy that never came back, is what they lead back to after a kill.
      let copy = store + " copy"
      try FileManager.default.copyItem(atPath: store, toPath: copy)
      let unwound = try launch(seed, unwinds: true, at: store)
      XCTAssertEqual(Array(unwound.prefix(4)), before, "seed \(seed)")
      XCTAssertEqual(try launch(seed, unwinds: true, at: copy), unwound, "seed \(seed)")
    }
  }
}
