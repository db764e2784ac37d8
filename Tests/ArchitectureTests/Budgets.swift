/// Numbers that may only fall. If you lower one, write the lower number here.
enum Budgets {
  /// The most lines that a file of the sources may have.
  static let length = 300

  /// How many test files import a module's internal declarations.
  static let testableFiles = 106

  /// How many test models are declared outside Tests/Support. Most are versions of a schema, or odd schemas.
  static let ownModels = 69

  /// The most letters that the name of a test should have, and how many names have more.
  static let letters = 45
  static let longTestNames = 1_248

  /// How many messages of an area stand in no test.
  static let untestedMessages = [
    "Command": 1, "Directories": 1, "EventStore": 8, "Lists": 3, "ObjectGraph": 3, "ObjectGraphMacros": 7,
    "PostgreSQL": 6,
    "Remote": 1, "SQLite": 4, "System": 1, "Testing": 7,
  ]

  static func tooLong(_ file: SourceFile) -> [Breach] {
    guard file.length > length else { return [] }
    return [
      Breach(path: file.path, line: length + 1, message: "\(file.length) lines, at most \(length): divide the file")
    ]
  }

  static func declaredModels(_ file: SourceFile) -> Int {
    if file.path.hasPrefix("Tests/Support/") { return 0 }
    return zip(file.lines, file.isCode).count { line, isCode in
      isCode && line.contains("class ") && line.contains(": TestModel {")
    }
  }

  static func importsInternals(_ file: SourceFile) -> Bool {
    zip(file.lines, file.isCode).contains { line, isCode in isCode && line.hasPrefix("@testable import ") }
  }
}

extension SourceFile {
  /// The number of lines. The text behind the last line break counts only if there is any.
  fileprivate var length: Int { lines.last == "" ? lines.count - 1 : lines.count }
}
