import Foundation
import RepriseJournal
import RepriseSystem

/// Time that passes only when told to, with the journal's real thread.
// Safe: everything is read and changed under the condition's lock.
package final class VirtualClock: JournalClock, @unchecked Sendable {
  private let condition = NSCondition()
  private var time: UInt64 = 0
  private var wall: UInt64
  private var isStarted = false
  private var hasEnded = false
  private var isParked = false
  private var isWoken = false
  private var deadline: UInt64?
  private var held: [@Sendable () -> Void]?
  private var running = 0
  private var detached = 0
  private var beforeWall: (@Sendable () -> Void)?
  private var afterTurn: [@Sendable () -> Void]?

  package init(wall: UInt64 = 1_790_000_000_000_000) { self.wall = wall }

  package func now() -> UInt64 { locked { time } }
  package func wallTime() -> UInt64 {
    let body = locked {
      defer { beforeWall = nil }
      return beforeWall
    }
    body?()
    return locked { wall + time / 1000 }
  }
  /// Does something just before a frame is closed.
  package func beforeNextWallTime(_ body: @escaping @Sendable () -> Void) { locked { beforeWall = body } }
  package func setWallTime(_ microseconds: UInt64) { locked { wall = microseconds } }

  /// Whether the journal asked for a thread.
  package var hasThread: Bool { locked { isStarted } }

  package func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    locked { isStarted = true }
    Thread.detachNewThread {
      body()
      self.locked { self.hasEnded = true }
    }
    return true
  }

  /// At once, unless a turn has begun.
  package func afterTurn(_ body: @escaping @Sendable () -> Void) {
    let isHeld = locked {
      afterTurn?.append(body)
      return afterTurn != nil
    }
    if !isHeld { body() }
  }

  package func beginTurn() { locked { afterTurn = [] } }

  package func endTurn() {
    let bodies = locked {
      defer { afterTurn = nil }
      return afterTurn ?? []
    }
    for body in bodies { body() }
  }

  package func wait(until deadline: UInt64?) {
    condition.lock()
    self.deadline = deadline
    isParked = true
    condition.broadcast()
    while !mustRun { condition.wait() }
    isParked = false
    isWoken = false
    condition.unlock()
  }

  package func wake() { locked { isWoken = true } }

  /// How often something ran beside the thread.
  package var detachedCount: Int { locked { detached } }

  package func detach(_ body: @escaping @Sendable () -> Void) {
    let isHeld = locked {
      detached += 1
      // An endless series of them must end for the test to see it.
      if detached > 1_000 { return true }
      if held == nil {
        running += 1
        return false
      }
      held?.append(body)
      return true
    }
    if isHeld { return }
    Thread.detachNewThread {
      body()
      self.locked { self.running -= 1 }
    }
  }

  /// From now on nothing beside the thread runs, until it is let go.
  package func holdDetached() { locked { held = [] } }

  package func releaseDetached() {
    let bodies = locked {
      defer { held = nil }
      return held ?? []
    }
    for body in bodies { body() }
    settle()
  }

  /// Lets time pass, stopping wherever the thread has something to do.
  package func advance(milliseconds: UInt64) {
    let target = now() + milliseconds * 1_000_000
    while true {
      settle()
      let isDone = locked {
        if isStarted, !hasEnded, let deadline, deadline <= target {
          time = max(time, deadline)
          return false
        }
        time = target
        return true
      }
      if isDone { break }
    }
    settle()
  }

  /// Returns when the thread waits for time or news.
  package func settle() {
    condition.lock()
    while running > 0 || isStarted && !hasEnded && (!isParked || mustRun) { condition.wait() }
    condition.unlock()
  }

  private var mustRun: Bool { isWoken || deadline.map { time >= $0 } ?? false }

  private func locked<Result>(_ body: () -> Result) -> Result {
    condition.lock()
    defer {
      condition.broadcast()
      condition.unlock()
    }
    return body()
  }
}

/// A file that fails when told to, and knows what a power cut would leave of it.
// Safe: everything is read and changed under the lock.
package final class FaultyFile: JournalFile, @unchecked Sendable {
  private let file: any JournalFile
  private let plan: FaultPlan
  package init(_ file: any JournalFile, _ plan: FaultPlan) {
    self.file = file
    self.plan = plan
  }

  package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(SystemFailure) {
    if let (code, count) = plan.nextWrite() {
      try file.write(UnsafeRawBufferPointer(rebasing: bytes.prefix(count)), at: offset)
      throw SystemFailure(errno: code)
    }
    try file.write(bytes, at: offset)
    plan.wrote(bytes.count)
  }

  package func synchronize() throws(SystemFailure) {
    try plan.synchronize()
    try file.synchronize()
  }

  package func truncate(to length: Int) throws(SystemFailure) {
    try plan.truncate()
    try file.truncate(to: length)
  }

  package func read(_ range: Range<Int>) throws(SystemFailure) -> [UInt8] { try file.read(range) }
  package var isDeleted: Bool { file.isDeleted }
  package func close() { file.close() }
}

// Safe: everything is read and changed under the lock.
package final class FaultPlan: @unchecked Sendable {
  private let lock = NSLock()
  private var writeFailure: (code: Int32, after: Int)?
  private var synchronizeFailure: Int32?
  private var truncateFailure: Int32?
  private var meanwhile: (() -> Void)?
  package private(set) var writes = 0
  package private(set) var flushes = 0
  package private(set) var bytes = 0
  package private(set) var unflushedBytes = 0
  private var reported: [JournalError] = []

  package init() {}

  /// Writes fail after so many bytes; `nil` ends it.
  package func failWrites(_ code: Int32?, after count: Int = 0) {
    lock.withLock { writeFailure = code.map { ($0, count) } }
  }
  package func failFlushes(_ code: Int32?) { lock.withLock { synchronizeFailure = code } }
  /// The next flush takes as long as this does.
  package func duringNextFlush(_ body: @escaping () -> Void) { lock.withLock { meanwhile = body } }
  package func failTruncates(_ code: Int32?) { lock.withLock { truncateFailure = code } }

  package func report(_ error: JournalError) { lock.withLock { reported.append(error) } }
  package var errors: [JournalError] { lock.withLock { reported } }

  fileprivate func nextWrite() -> (Int32, Int)? { lock.withLock { writeFailure } }
  fileprivate func wrote(_ count: Int) {
    lock.withLock {
      writes += 1
      bytes += count
      unflushedBytes += count
    }
  }
  fileprivate func synchronize() throws(SystemFailure) {
    let body = lock.withLock {
      defer { meanwhile = nil }
      return meanwhile
    }
    body?()
    let failure = lock.withLock { () -> Int32? in
      if synchronizeFailure == nil {
        flushes += 1
        unflushedBytes = 0
      }
      return synchronizeFailure
    }
    if let failure { throw SystemFailure(errno: failure) }
  }
  fileprivate func truncate() throws(SystemFailure) {
    if let failure = lock.withLock({ truncateFailure }) { throw SystemFailure(errno: failure) }
  }
}

extension JournalOptions {
  package mutating func use(_ plan: FaultPlan) {
    file = { FaultyFile($0, plan) }
    onError = { plan.report($0) }
  }
}
