import Foundation
import RepriseLMDB
import RepriseTestProcesses
import XCTest

final class ForkTests: EnvironmentTestCase {
  /// Runs `body` in a forked child; its result is the child's exit code.
  private func inChild(_ body: () -> Int32) throws -> Int32 {
    let child = try ForkedChild.fork()
    if child == 0 { _exit(body()) }
    var status: Int32 = 0
    XCTAssertEqual(waitpid(child, &status, 0), child)
    XCTAssertEqual(status & 0x7F, 0, "the child died of signal \(status & 0x7F)")
    return status >> 8 & 0xFF
  }

  func testForkedChildGetsErrorsAndDoesNotPullTheSnapshotFromUnderItsParent() throws {
    let environment = try open()
    let table = environment["t"]
    try environment.put(table, "a", "1")
    var held: ReadTransaction? = try environment.beginRead()
    let code = try inChild {
      var code: Int32 = 0
      do throws(StorageError) { _ = try environment.string(table, "a") } catch {
        if error.name == "forked" { code |= 1 }
      }
      do throws(StorageError) { try environment.put(table, "a", "2") } catch { if error.name == "forked" { code |= 2 } }
      held = nil
      environment.close()
      return code
    }
    XCTAssertEqual(code, 3)
    // The slot of the snapshot is still taken, so no page of it is used again.
    XCTAssertEqual(try environment.readers().map(\.transactionID), [held?.id])
    for number in 0..<20 { try environment.put(table, "a", "\(number)") }
    XCTAssertEqual(try held?.view.string(table, "a"), "1")
  }

  func testForkedChildMayOpenAnEnvironmentOfItsOwn() throws {
    let environment = try open()
    try environment.put(environment["t"], "a", "1")
    let code = try inChild {
      guard let own = try? open(), own !== environment, (try? own.put(own["t"], "b", "2")) != nil else { return 1 }
      return 0
    }
    XCTAssertEqual(code, 0)
    XCTAssertEqual(try environment.string(environment["t"], "b"), "2")
  }

  /// The child has the descriptors of its parent, and would keep the locks.
  func testAForkedChildThatLivesKeepsNoLocks() throws {
    let environment = try open()
    try environment.put(environment["t"], "a", "1")
    try ForkedChild.whileOneLives {
      environment.close()
      let again = try open()
      try again.put(again["t"], "a", "2")
      again.close()
      _ = try Environment.compact(directory: directory)
    }
  }
}
