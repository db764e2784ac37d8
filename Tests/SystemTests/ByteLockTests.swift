import Foundation
import RepriseSystem
import XCTest

/// Locks that another description of the file has: those of another process, or of this one.
final class ByteLockTests: XCTestCase {
  private let path = NSTemporaryDirectory() + "reprise-locks-\(UUID().uuidString)"
  private var (first, second): (Int32, Int32) = (-1, -1)

  override func setUp() {
    (first, second) = (open(path, O_RDWR | O_CREAT, 0o600), open(path, O_RDONLY))
  }

  override func tearDown() {
    for descriptor in [first, second] { close(descriptor) }
    unlink(path)
  }

  func testEveryLockIsListedWithAllItsBytes() throws {
    let places: [Range<off_t>] = [1 << 62..<1 << 62 + 5, 7..<8, 1 << 40..<1 << 40 + 1000, 20..<30, 9..<11]
    for place in places { XCTAssertTrue(try ByteLock.take(.exclusive, place, of: first)) }
    XCTAssertEqual(ByteLock.locks(on: 0..<off_t.max, of: second), places.sorted { $0.lowerBound < $1.lowerBound })
    XCTAssertEqual(ByteLock.locks(on: 8..<25, of: second), [9..<11, 20..<30])
    XCTAssertEqual(ByteLock.locks(on: 0..<off_t.max, of: first), [], "the locks of the description itself")
    XCTAssertEqual(ByteLock.lock(on: 1 << 62, of: second), 1 << 62..<1 << 62 + 5)
    XCTAssertNil(ByteLock.lock(on: 8, of: second))
  }

  func testALockIsReleasedWithAllItsBytes() throws {
    XCTAssertTrue(try ByteLock.take(.exclusive, 7..<12, of: first))
    ByteLock.release(7..<12, of: first)
    XCTAssertEqual(ByteLock.locks(on: 0..<off_t.max, of: second), [])
  }
}
