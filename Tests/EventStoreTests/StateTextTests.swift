import RepriseEventStore
import RepriseObjectModel
import XCTest

/// The texts of states in the table `meta` that a reader cannot read, in full. They are the reasons of damage.
final class StateTextTests: XCTestCase {
  private func expect(
    _ text: String, _ content: [UInt8], line: UInt = #line, _ read: (UnsafeRawBufferPointer) throws -> Void
  ) {
    var writer = ByteWriter.sealing(reserving: content.count)
    writer.append(content)
    XCTAssertThrowsError(try writer.sealed().withUnsafeBytes { try read($0) }, text, line: line) {
      XCTAssertEqual("\($0)", "expected \(text)", line: line)
    }
  }

  private let zeros = [UInt8](repeating: 0, count: 16)

  func testStatesOfIndexes() {
    func expect(state content: [UInt8], _ text: String, line: UInt = #line) {
      self.expect(text, content, line: line) { _ = try IndexBuildState(encoded: $0) }
    }
    expect(state: [], "an index's number at byte 4")
    expect(state: [0xFF, 0xFF, 0xFF, 0xFF, 0x0F], "an index's number at byte 9")
    expect(state: [1], "the flags of a state at byte 5")
    expect(state: [1, 16], "known flags at byte 6")
    expect(state: [1, 0], "a position at byte 6")
    expect(state: [1, 0, 1], "a number of events at byte 7")
    expect(state: [1, 0, 1, 0], "a number of rows at byte 8")
    expect(state: [1, 0, 1, 0, 0], "a number of objects at byte 9")
    expect(state: [1, 0, 1, 0, 0, 0], "the number of orders at byte 10")
    expect(state: [1, 2, 1, 0, 0, 0, 0], "an object's UUID at byte 11")
    expect(state: [1, 4, 1, 0, 0, 0, 0], "a row key at byte 11")
    expect(state: [1, 0, 1, 0, 0, 0, 0, 7], "the state of an index to end at byte 11")
  }

  func testStatesOfMigrations() {
    func expect(state content: [UInt8], _ text: String, line: UInt = #line) {
      self.expect(text, content, line: line) { _ = try MigrationState(encoded: $0) }
    }
    expect(state: [], "a version at byte 4")
    expect(state: [1, 9], "the number of conversions at byte 6")
    expect(state: [1, 0, 0, 0], "an object's UUID at byte 8")
    expect(state: [1, 0, 0, 0] + zeros + [9], "the number of indexes at byte 25")
    expect(state: [1, 0, 0, 0] + zeros + [0, 9], "the number of works at byte 26")
    expect(state: [1, 0, 0, 0] + zeros + [0, 0, 7], "the state of a migration to end at byte 26")
  }

  func testStatesOfProjections() {
    func expect(state content: [UInt8], _ text: String, line: UInt = #line) {
      self.expect(text, content, line: line) { _ = try ProjectionState(encoded: $0) }
    }
    expect(state: [0], "a projection's number at byte 5")
    expect(state: [1], "a projection's version at byte 5")
    expect(state: [1, 1], "the flags of a state at byte 6")
    expect(state: [1, 1, 8], "known flags at byte 7")
    expect(state: [1, 1, 0, 1, 7], "the state of a projection to end at byte 8")
  }
}
