import Foundation
import RepriseEventStore
import RepriseSystem
import XCTest

/// A disk that journals are written to, and that can fail.
// Safe: everything is read and changed under the lock.
final class FailingDisk: @unchecked Sendable {
  private let lock = NSLock()
  private var isFailing = false
  private var failures = 0
  private var held: (isWriting: WakeUp, goesOn: WakeUp)?
  private var waiting: (times: Int, expectation: XCTestExpectation)?

  func fail(_ isFailing: Bool) { lock.withLock { self.isFailing = isFailing } }

  /// Lets the next write wait.
  func hold(_ isWriting: WakeUp, until goesOn: WakeUp) { lock.withLock { held = (isWriting, goesOn) } }

  func hasFailed(times: Int) -> XCTestExpectation {
    let expectation = XCTestExpectation(description: "\(times) writes failed")
    lock.withLock { waiting = (times, expectation) }
    return expectation
  }

  func write() throws(SystemFailure) {
    let hold = lock.withLock {
      defer { held = nil }
      return held
    }
    hold?.isWriting.wake()
    hold?.goesOn.wait(until: nil)
    let fails = lock.withLock {
      if isFailing { failures += 1 }
      if let waiting, failures == waiting.times { waiting.expectation.fulfill() }
      return isFailing
    }
    if fails { throw SystemFailure(errno: 28) }
  }
}

/// A journal's file on such a disk.
final class FailingFile: JournalFile {
  private let file: any JournalFile
  private let disk: FailingDisk

  init(_ file: any JournalFile, _ disk: FailingDisk) { (self.file, self.disk) = (file, disk) }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(SystemFailure) {
    try disk.write()
    try file.write(bytes, at: offset)
  }

  func synchronize() throws(SystemFailure) { try file.synchronize() }
  func truncate(to length: Int) throws(SystemFailure) { try file.truncate(to: length) }
  func read(_ range: Range<Int>) throws(SystemFailure) -> [UInt8] { try file.read(range) }
  var isDeleted: Bool { file.isDeleted }
  func close() { file.close() }
}
