import Browser
import Foundation
import Inspected
import XCTest

/// A running `Typist`, which has typed into a draft. It ends with this object.
final class TypistProcess {
  private let process = Process()

  /// - text: The text that it types. `nil` leaves out its screens.
  init(_ notes: String, draft: String, text: String? = nil) throws {
    process.executableURL = URL(fileURLWithPath: InspectCommand.program("Typist"))
    process.arguments = [notes, draft] + (text.map { [$0] } ?? [])
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    guard output.fileHandleForReading.readData(ofLength: 6) == Data("typed\n".utf8) else {
      throw Chromium.Failure(description: "Typist has typed nothing.")
    }
  }

  deinit { end() }

  var identifier: Int32 { process.processIdentifier }

  /// Kills the program, so that its draft and its screens stay.
  func end() {
    if process.isRunning { kill(identifier, SIGKILL) }
    process.waitUntilExit()
  }
}
