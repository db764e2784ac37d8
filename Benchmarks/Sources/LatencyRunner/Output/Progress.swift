import Foundation

/// What is going on, on standard error: standard output belongs to the figures.
enum Progress {
  static func begin(_ what: String) { say("bench: \(what) … ") }

  static func end(_ what: String) { say(what + "\n") }

  static func note(_ what: String) { say("bench: \(what)\n") }

  private static func say(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
