import Foundation
import RepriseJournal
import RepriseLog
import RepriseSystem
import XCTest

final class ClaimWaitTests: XCTestCase {
  private func claimWait() -> ClaimWait<Int> { ClaimWait(path: "store", milliseconds: 3_000) }

  /// How many looks it has patience for.
  private func looks(_ claimWait: inout ClaimWait<Int>, _ process: Int32?, _ between: () -> Void = {}) -> Int {
    for number in 0..<100 {
      do throws(StoreError) {
        try claimWait.look(1, of: process, after: 100)
      } catch {
        guard case .writerBusy("store", process, nil, 3) = error else {
          XCTFail("\(error)")
          return 0
        }
        return number
      }
      between()
    }
    return 100
  }

  func testAProcessThatShowsNoSignOfLifeIsNotWaitedFor() {
    var claimWait = claimWait()
    XCTAssertEqual(looks(&claimWait, nil), 30)
    XCTAssertEqual(looks(&claimWait, nil), 0)
    var other = self.claimWait()
    XCTAssertEqual(looks(&other, Int32.max), 30)
  }

  func testAProcessThatMakesProgressIsWaitedFor() throws {
    var claimWait = claimWait()
    for step in 0..<100 {
      try claimWait.look(step, of: nil, after: 1_000)
      try claimWait.look(step, of: nil, after: 2_999)
    }
  }

  func testAProcessThatWorksIsWaitedFor() throws {
    #if os(Linux)
    var claimWait = claimWait()
    let process = OwnProcess.id
    let looks = looks(&claimWait, process) {
      let before = ThreadFacts.processorTime(ofProcess: process)
      while ThreadFacts.processorTime(ofProcess: process) == before {}
    }
    XCTAssertEqual(looks, 100)
    #endif
  }

  func testTheProcessThatDoesAWorkIsKnown() throws {
    #if os(Linux)
    let path = FileManager.default.temporaryDirectory.path + "/reprise-\(UUID().uuidString)"
    XCTAssert(FileManager.default.createFile(atPath: path, contents: nil))
    defer { try? FileManager.default.removeItem(atPath: path) }
    let (own, other) = (WorkClaim(.migration, path: path), WorkClaim(.migration, path: path))
    XCTAssertNil(other.holder)
    XCTAssertTrue(try own.take())
    XCTAssertFalse(try other.take())
    XCTAssertEqual(other.holder, OwnProcess.id)
    XCTAssertNil(WorkClaim(.indexes, path: path).holder)
    own.close()
    XCTAssertNil(other.holder)
    XCTAssertTrue(try other.take())
    #endif
  }
}
