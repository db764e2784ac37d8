import Foundation
import XCTest

/// A tool that only reads lacks what a living process types, or a killed one typed, or takes it from the next process.
final class InspectingTests: CrashTestCase {
  private var store: String { folder + "/store" }

  /// What is in the files of a store, except LMDB's table of readers.
  private func files() throws -> [String: Data] {
    var files: [String: Data] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: store) where name != "lock.mdb" {
      files[name] = FileManager.default.contents(atPath: store + "/" + name) ?? Data()
    }
    return files
  }

  /// Reads lines until the child has typed this number.
  private func wait(for number: Int, _ child: Child) {
    while let line = child.line(), line != "typed \(number)" {}
  }

  func testTheTypingOfALivingProcessIsSeen() throws {
    let typist = try Child("type steadily", store)
    wait(for: 1, typist)
    let said = try play("look at drafts", ["times": "100"])
    XCTAssertGreaterThan(said[0].number(after: "found"), 1)
    XCTAssertEqual(said[1], "desk true \(typist.process)")
    XCTAssertEqual(said[2], "window [\"page\"] true \(typist.process)")
    XCTAssertEqual(said[3], "open in [\(typist.process)]")
    typist.kill()
  }

  func testTheTypingOfAKilledProcessIsSeenAndKept() throws {
    let typist = try Child("type steadily", store)
    wait(for: 25, typist)
    typist.kill()
    let before = try files()
    for _ in 1...2 {
      let said = try play("look at drafts")
      XCTAssertGreaterThanOrEqual(said[0].number(after: "found"), 25)
      XCTAssertEqual(said[1], "desk false nobody")
      XCTAssertEqual(said[2], "window [\"page\"] false \(typist.process)")
      XCTAssertEqual(said[3], "open in []")
      XCTAssertEqual(try files(), before, "the tool wrote")
    }
    let tool = try Child("look at drafts", store, ["stays": "yes"])
    while let line = tool.line(), line != "open in []" {}
    XCTAssertEqual(try play("look at typing"), ["found 2"], "the tool has the journal")
    tool.kill()
  }

  func testALookTakesNothingFromALivingProcess() throws {
    let typist = try Child("type steadily", store, ["once": "yes"])
    wait(for: 3, typist)
    let before = try files()
    XCTAssertEqual(try play("look at drafts")[0], "found 3")
    XCTAssertEqual(try files(), before, "the tool wrote")
    // It has its draft, its scene and its journal.
    XCTAssertEqual(try play("look at drafts")[1], "desk true \(typist.process)")
    typist.kill()
    XCTAssertEqual(try play("look at typing"), ["found 2"])
  }

  #if os(Linux)
  func testTheTypingInAReadOnlyFileSystemIsSeen() throws {
    let typist = try Child("type steadily", store, ["once": "yes"])
    wait(for: 3, typist)
    typist.kill()
    let script = """
      mount --bind "\(store)" "\(store)" || cannot
      mount -o remount,ro,bind "\(store)" || cannot
      exec "$@"
      """
    let said = try play("look at drafts", through: inItsOwnWorld(script))
    XCTAssertEqual(said[0], "found 3")
    XCTAssertEqual(said[1], "desk false nobody")
    XCTAssertEqual(said[2], "window [\"page\"] false \(typist.process)")
    XCTAssertEqual(said[3], "open in []")
  }
  #endif
}
