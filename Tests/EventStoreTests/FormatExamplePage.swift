import Foundation
import RepriseTestLog

/// A row of a table, or a file.
struct FormatRow: Equatable {
  struct Part: Equatable {
    let label: String
    var bytes: [UInt8]
  }

  /// Key and value, or the bytes of a file.
  let parts: [Part]

  init(_ parts: [Part]) { self.parts = parts }

  init(key: [UInt8], value: [UInt8]) {
    parts = [Part(label: "key", bytes: key), Part(label: "value", bytes: value)]
  }

  init(file: [UInt8]) { parts = [Part(label: "file", bytes: file)] }

  /// As the page has it, without a word on what it means.
  var text: String {
    parts.map { $0.label.padding(toLength: 7, withPad: " ", startingAt: 0) + hex($0.bytes) }.joined(separator: "\n")
  }
}

/// The rows that Docs/FileFormat/example.md shows.
///
/// Its headings name tables and files. Each block of code is a row: a label, bytes in hexadecimal digits and, after at
/// least two spaces, what they mean.
struct FormatExamplePage {
  struct Block {
    private(set) var lines: [Substring] = []

    mutating func append(_ line: Substring) { lines.append(line) }

    private static func digits(in line: Substring) -> Range<Substring.Index> {
      let start = line.index(line.startIndex, offsetBy: 7, limitedBy: line.endIndex) ?? line.endIndex
      return start..<(line.range(of: "  ", range: start..<line.endIndex)?.lowerBound ?? line.endIndex)
    }

    var row: FormatRow {
      var parts: [FormatRow.Part] = []
      for line in lines {
        let label = line.prefix(7).trimmingCharacters(in: .whitespaces)
        if !label.isEmpty { parts.append(FormatRow.Part(label: label, bytes: [])) }
        if parts.isEmpty { continue }
        parts[parts.count - 1].bytes += bytes(hex: line[Self.digits(in: line)].filter { $0 != " " })
      }
      return FormatRow(parts)
    }

    /// The block for another row, to be pasted: with the words of this one if it is as long.
    func text(for other: FormatRow) -> String {
      let row = row
      let isAlike =
        row.parts.map(\.label) == other.parts.map(\.label)
        && row.parts.map(\.bytes.count) == other.parts.map(\.bytes.count)
      if !isAlike { return other.text }
      var digits = other.parts.flatMap { Array(hex($0.bytes)) }[...]
      return lines.map { line in
        let range = Self.digits(in: line)
        let next = line[range].map { $0 == " " ? $0 : digits.removeFirst() }
        return line[..<range.lowerBound] + String(next) + line[range.upperBound...]
      }.joined(separator: "\n")
    }
  }

  /// By table or file.
  private(set) var blocks: [String: [Block]] = [:]

  init(_ text: String) {
    var (name, block) = ("", Block?.none)
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("## ") {
        name = line.split(separator: "`").dropFirst().first.map(String.init) ?? ""
      } else if line.hasPrefix("```") {
        if let block { blocks[name, default: []].append(block) }
        block = block == nil ? Block() : nil
      } else {
        block?.append(line)
      }
    }
  }
}
