import RepriseCore
import XCTest

/// The saves of several servers, compared with the log.
struct Saves {
  private let savers: [Saver]

  init(_ savers: [Saver]) { self.savers = savers }

  /// Each acknowledged number is in the log once, in the order of the acknowledgements, and no number is in it twice.
  func check(
    _ log: [UniqueID], _ message: String = "", file: StaticString = #filePath, line: UInt = #line
  ) {
    for (index, saver) in savers.enumerated() {
      let state = saver.state.withLock { $0 }
      let found = log.compactMap { state.numbers[$0] }
      let name = "\(message) server \(index)"
      XCTAssertEqual(state.failures, [], name, file: file, line: line)
      XCTAssertEqual(Set(found).count, found.count, "\(name) saved twice", file: file, line: line)
      let lost = Set(state.acknowledged).subtracting(found)
      XCTAssertTrue(lost.isEmpty, "\(name) lost \(lost.sorted())", file: file, line: line)
      XCTAssertEqual(found, found.sorted(), "\(name) has another order", file: file, line: line)
      // A save whose answer never came may be in the log.
      XCTAssertLessThanOrEqual(found.count, state.acknowledged.count + 1, name, file: file, line: line)
    }
    XCTAssertEqual(Set(log).count, log.count, "\(message) a packet is there twice", file: file, line: line)
  }
}
