import Foundation

/// A text file of the checkout, cut into lines, with a mark on the lines that are no code.
struct SourceFile {
  let path: String
  let lines: [String]

  /// False for lines within a multi-line string literal or a block comment, so that code which a file merely contains
  /// as text (the macro's expansions, the examples in these tests) is not taken for its own.
  let isCode: [Bool]

  init(path: String, text: String) {
    self.path = path
    lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { String($0)! }
    isCode = Self.marks(lines)
  }

  /// The component below `Sources` or `Tests`: the name of the room.
  var folder: String {
    let parts = path.split(separator: "/")
    return parts.count > 2 ? String(parts[1]) : ""
  }

  var name: String { String(path.split(separator: "/").last ?? "") }

  private static func marks(_ lines: [String]) -> [Bool] {
    var inString = false
    var inComment = false
    return lines.map { line in
      let wasText = inString || inComment
      let start = line.trimmedStart
      if inComment {
        if line.has("*/") { inComment = false }
      } else if !inString && start.hasPrefix("/*") {
        inComment = !line.has("*/")
        return false
      } else if inString || !start.hasPrefix("//") {
        if line.count(of: "\"\"\"") % 2 == 1 { inString.toggle() }
      }
      return !wasText
    }
  }
}

/// A rule that a file does not keep, written so that an editor can jump to the place.
struct Breach: CustomStringConvertible, Equatable {
  let path: String
  let line: Int
  let message: String
  var description: String { "\(path):\(line): \(message)" }
}

extension SourceFile {
  /// The breaches of a rule that looks at one line at a time.
  func breaches(_ rule: (_ index: Int, _ line: String) -> String?) -> [Breach] {
    lines.enumerated().compactMap { index, line in
      rule(index, line).map { Breach(path: path, line: index + 1, message: $0) }
    }
  }
}

/// The working copy that these tests were compiled from.
enum Checkout {
  static let root: String = {
    var parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    parts.removeLast(3)
    return parts.joined(separator: "/")
  }()

  /// The text files below `folder`, at any depth, whose names end in one of `suffixes`. What a hidden folder holds
  /// (.build) was made by tools.
  static func files(under folder: String, suffixes: [String] = [".swift"]) throws -> [SourceFile] {
    let base = root + "/" + folder
    guard FileManager.default.fileExists(atPath: base) else { return [] }
    guard let found = FileManager.default.enumerator(atPath: base) else { return [] }
    var paths: [String] = []
    while let path = found.nextObject() as? String {
      if (path as NSString).lastPathComponent.hasPrefix(".") {
        found.skipDescendants()
      } else if suffixes.contains(where: path.hasSuffix) {
        paths.append(path)
      }
    }
    return try paths.sorted().map { try file(folder + "/" + $0) }
  }

  /// The files of the top level, which have no folder of their own.
  static func rootFiles() throws -> [SourceFile] {
    let names = [
      "Package.swift", "Makefile", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", ".gitignore",
      ".swift-format",
    ]
    return try names.filter { FileManager.default.fileExists(atPath: root + "/" + $0) }.map(file)
  }

  static func file(_ path: String) throws -> SourceFile {
    let data = try Data(contentsOf: URL(fileURLWithPath: root + "/" + path))
    return SourceFile(path: path, text: String(decoding: data, as: UTF8.self))
  }

  static func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: root + "/" + path) }
}

extension StringProtocol {
  var trimmedStart: SubSequence { drop { $0 == " " || $0 == "\t" } }

  /// Byte by byte: the searches of the standard library cost seconds over all sources in an unoptimised build.
  func has(_ needle: String) -> Bool { count(of: needle) > 0 }

  func count(of needle: String) -> Int {
    let needle = Array(needle.utf8)
    let scan: (UnsafeBufferPointer<UInt8>) -> Int = { text in
      var found = 0
      var at = 0
      while at + needle.count <= text.count {
        var matched = 0
        while matched < needle.count && text[at + matched] == needle[matched] { matched += 1 }
        if matched == needle.count {
          found += 1
          at += matched
        } else {
          at += 1
        }
      }
      return found
    }
    return utf8.withContiguousStorageIfAvailable(scan) ?? Array(utf8).withUnsafeBufferPointer(scan)
  }

  /// Whether the word occurs with no letter, digit or underscore on either side.
  func hasWord(_ word: String) -> Bool {
    guard has(word) else { return false }
    let separated = split { !($0.isLetter || $0.isNumber || $0 == "_") }
    return separated.contains { $0 == word }
  }
}
