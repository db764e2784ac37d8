/// Numbers that may only fall. If you lower one, write the lower number here.
enum Budgets {
  /// The most lines that a file of the sources may have.
  static let length = 300

  /// The files that had more lines when the rule was written, with the most that each may have.
  static let longFiles = [
    "Sources/Directories/Documents/DirectoryTransport.swift": 303,
    "Sources/ObjectGraph/Context/EditingContext+Editing.swift": 334,
    "Sources/Restoration/Nodes/NodeBuilder.swift": 301,
  ]

  /// How many test files import a module's internal declarations.
  static let testableFiles = 107

  static func tooLong(_ file: SourceFile, _ longFiles: [String: Int] = longFiles) -> [Breach] {
    let most = longFiles[file.path] ?? length
    guard file.length > most else { return [] }
    return [Breach(path: file.path, line: most + 1, message: "\(file.length) lines, at most \(most): divide the file")]
  }

  /// The entries of ``longFiles`` whose files are no longer too long.
  static func needless(_ longFiles: [String: Int], among files: [SourceFile]) -> [String] {
    let lengths = Dictionary(uniqueKeysWithValues: files.map { ($0.path, $0.length) })
    return longFiles.keys.filter { lengths[$0, default: 0] <= length }.sorted()
  }

  static func importsInternals(_ file: SourceFile) -> Bool {
    zip(file.lines, file.isCode).contains { line, isCode in isCode && line.hasPrefix("@testable import ") }
  }
}

extension SourceFile {
  /// The number of lines. The text behind the last line break counts only if there is any.
  fileprivate var length: Int { lines.last == "" ? lines.count - 1 : lines.count }
}
