import Foundation
import XCTest

/// What a power cut may take: everything that was changed and not flushed.
final class PowerCutTests: CrashTestCase {
  func testTheNamesOfANewStoresFilesAreFlushedBeforeItIsOpen() throws {
    #if os(Linux)
    let said = try play("make durably")
    XCTAssertGreaterThan(said.last?.number(after: "changes") ?? 0, 10)
    #endif
  }

  func testASalvagedStoreIsFlushedWithItsNamesAndJournalsBeforeItIsOne() throws {
    #if os(Linux)
    let said = try play("make durably", ["from": folder + "/old"])
    XCTAssertGreaterThan(said.last?.number(after: "changes") ?? 0, 10)
    #endif
  }

  func testNoPowerCutTakesASaveThatReturnedOrLeavesAStoreThatIsNotWhole() throws {
    let said = try cut("full")
    XCTAssertEqual(said.number(after: "kept"), said.number(after: "images"), said)
  }

  func testAPowerCutTakesTheLastSavesOfARelaxedStoreAtMostAndLeavesItWhole() throws {
    let said = try cut("relaxed")
    // Or nothing was cut that was not flushed.
    XCTAssertLessThan(said.number(after: "kept"), said.number(after: "images"), said)
  }

  /// Half of `REPRISE_IMAGES`; 500 images where `CI` is set, 100 elsewhere.
  private func cut(_ durability: String) throws -> String {
    #if os(Linux)
    let environment = ProcessInfo.processInfo.environment
    let images = (environment["REPRISE_IMAGES"].flatMap(Int.init) ?? (environment["CI"] == nil ? 200 : 1000)) / 2
    let said =
      try play(
        "cut power", ["durability": durability, "images": "\(images)", "seed": "\(Self.seed)"]
      ).last ?? ""
    XCTAssertEqual(said.number(after: "images"), images, said)
    XCTAssertEqual(said.number(after: "opened"), images, said)
    return said
    #else
    throw XCTSkip("nothing stands between the program and the system here")
    #endif
  }
}
