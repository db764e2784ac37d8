import RepriseTestSeeds
import XCTest

/// The power is cut in each kind of commit, in the opening that repeats one, and in the opening after that.
final class AfterImageCutTests: CrashTestCase {
  /// A tenth of the images of the long test, from each program.
  private func cut(_ programs: String...) throws {
    #if os(Linux)
    let images = max(10, Self.images / 10)
    for program in programs {
      let values: KeyValuePairs = ["program": program, "images": "\(images)", "seed": "\(Self.seed)"]
      let said = try play("cut", values, at: folder + "/\(program)").last ?? ""
      XCTAssertEqual(said.number(after: "images"), images, said)
    }
    #else
    throw XCTSkip("nothing stands between the program and the system here")
    #endif
  }

  func testEachKindOfCommitSurvivesAPowerCut() throws { try cut("kinds", "extend", "grow") }
  func testANewStoreSurvivesAPowerCutAtAnyTime() throws { try cut("new") }
  func testSlicesOfAnIndexSurvivePowerCuts() throws { try cut("index") }
  func testPowerCutsInAMigrationLoseNothing() throws { try cut("merge") }
  func testAJournalGoesOnlyAfterItsRowsAreSafe() throws { try cut("journal") }
  func testNoEditIsOnTheDiskBeforeItsPredecessors() throws { try cut("takeover") }
  func testPowerCutsInRetentionLoseNothing() throws { try cut("retain") }
  func testASavedBlobIsWholeAfterAPowerCut() throws { try cut("blob") }
  func testARebuildSurvivesAPowerCut() throws { try cut("rebuild") }
  func testASaveThatThrewDoesNotReturn() throws { try cut("refuse") }

  func testEachPlantedFaultOfCommitsIsFound() throws {
    #if os(Linux)
    let plants = [
      ("no image", "kinds"), ("late image", "kinds"), ("one place", "kinds"), ("late meta", "kinds"),
      ("no flush", "kinds"), ("no repetition", "kinds"), ("kept image", "refuse"),
    ]
    for (plant, program) in plants {
      let place = folder + "/\(plant)"
      let values: KeyValuePairs = ["program": program, "images": "1000", "seed": "\(Self.seed)", "plant": plant]
      let child = try Child("cut", place, values)
      var isFound = false
      while !isFound, let line = child.line() { isFound = line.hasPrefix("problem ") }
      child.kill()
      XCTAssertTrue(isFound, "\(plant); seed \(Self.seed)")
    }
    #endif
  }
}
