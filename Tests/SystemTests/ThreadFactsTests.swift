import Foundation
import RepriseSystem
import XCTest

final class ThreadFactsTests: XCTestCase {
  func testTheProcessOfAThreadIsKnown() throws {
    #if os(Linux)
    let process = getpid()
    XCTAssertEqual(ThreadFacts.process(ofThread: process), process)
    let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").compactMap { Int32($0) }
    // Others may have ended since.
    for thread in threads { XCTAssert([process, nil].contains(ThreadFacts.process(ofThread: thread))) }
    XCTAssertNil(ThreadFacts.process(ofThread: Int32.max))
    #endif
  }

  func testAThreadThatWorksUsesTheProcessor() throws {
    #if os(Linux)
    let process = getpid()
    let before = try XCTUnwrap(ThreadFacts.processorTime(ofProcess: process, thread: process))
    let whole = try XCTUnwrap(ThreadFacts.processorTime(ofProcess: process))
    XCTAssertGreaterThanOrEqual(whole, before)
    while ThreadFacts.processorTime(ofProcess: process, thread: process) == before {}
    XCTAssertGreaterThanOrEqual(try XCTUnwrap(ThreadFacts.processorTime(ofProcess: process)), whole)
    XCTAssertNil(ThreadFacts.processorTime(ofProcess: Int32.max))
    XCTAssertNil(ThreadFacts.processorTime(ofProcess: process, thread: Int32.max))
    #endif
  }
}
