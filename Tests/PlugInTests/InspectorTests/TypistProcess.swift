import Browser
import Foundation
import Inspected
import XCTest

/// A running `Typist`, which has typed into a draft. It ends with this object.
final class TypistProcess {
  private let process = Process()
  private let output = Pipe()
  private let reports = Reports()

  /// The lines of the program. A thread reads them, so that the program never waits.
  // Safe: the lock guards the text.
  private final class Reports: @unchecked Sendable {
    private let lock = NSCondition()
    private var text = ""
    private var isComplete = false

    func read(_ file: FileHandle) {
      // Unlike `read(upToCount:)`, this returns before so many bytes have arrived.
      while true {
        let data = file.availableData
        if data.isEmpty { break }
        add(String(decoding: data, as: UTF8.self))
      }
      add(nil)
    }

    private func add(_ part: String?) {
      lock.withLock {
        if let part { text += part } else { isComplete = true }
        lock.broadcast()
      }
    }

    /// The numbers that the program has reported. Waits for a number, or for the end of the program.
    func numbers(upTo number: Int) -> [Int] {
      lock.withLock {
        while true {
          let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
          let numbers = lines.compactMap { Int($0.dropFirst(6)) }
          if isComplete || numbers.last ?? 0 >= number { return numbers }
          lock.wait()
        }
      }
    }
  }

  /// - text: The text that it types. `nil` for numbers without an end, and without its screens.
  init(_ notes: String, draft: String, text: String? = nil) throws {
    process.executableURL = URL(fileURLWithPath: InspectCommand.program("Typist"))
    process.arguments = [notes, draft] + (text.map { [$0] } ?? [])
    process.standardOutput = output
    try process.run()
    let (reports, file) = (reports, output.fileHandleForReading)
    Thread.detachNewThread { reports.read(file) }
    if reports.numbers(upTo: 1).isEmpty { throw Chromium.Failure(description: "Typist has typed nothing.") }
  }

  deinit { end() }

  var identifier: Int32 { process.processIdentifier }

  /// Waits until the journal has a number. False if the program has ended.
  func wait(for number: Int) -> Bool { reports.numbers(upTo: number).last ?? 0 >= number }

  /// Kills the program, so that its draft and its screens stay. Returns the last number that it reported.
  @discardableResult
  func end() -> Int {
    if process.isRunning { kill(identifier, SIGKILL) }
    process.waitUntilExit()
    return reports.numbers(upTo: .max).last ?? 0
  }
}
