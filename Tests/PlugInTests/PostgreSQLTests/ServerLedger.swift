import Foundation
import RepriseCore

/// The outcomes of a server's saves, as the server wrote them.
struct ServerLedger {
  let path: String

  init(_ path: String) { self.path = path }

  /// The lines that begin with a word, without it.
  private func lines(_ word: String) -> [String] {
    let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").filter { $0.hasPrefix(word + " ") }.map { String($0.dropFirst(word.count + 1)) }
  }

  /// Saves that have returned.
  var saved: [String] { lines("saved") }
  /// Saves that threw `SaveError.unavailable`.
  var refused: [String] { lines("refused") }
  /// Saves that threw `SaveError.outcomeUnknown`.
  var undecided: [(title: String, transaction: UniqueID)] {
    lines("undecided").compactMap { line in
      let words = line.split(separator: " ").map(String.init)
      return words.count == 2 ? UniqueID(words[1]).map { (words[0], $0) } : nil
    }
  }
  var failures: [String] { lines("failed") }
}
