/// What a saver said of its store, life after life: which states may be found there, and which one was found.
///
/// See `Saver` in Tests/CrashChild for the words.
struct Ledger {
  /// The states that a kill now may leave, of the log, the desk and the sheet.
  private(set) var possible: [String: [String]] = ["log": ["0,0,0,0@1"], "desk": ["0,0"], "sheet": ["0"]]
  /// What must never be found.
  private(set) var problems: [String] = []
  private(set) var acknowledged = 0
  private(set) var lives = 0
  /// All that was said, for whoever looks for the cause of a problem.
  private(set) var history: [String] = []

  private static let certain = ["logged": "log", "desked": "desk", "sheeted": "sheet"]

  mutating func hear(_ line: String) {
    history.append(line)
    let words = line.split(separator: " ").map(String.init)
    guard let first = words.first else { return }
    let states = Array(words.dropFirst())
    if first == "problem" {
      problems.append(states.joined(separator: " "))
    } else if first == "found" {
      lives += 1
      for state in states { found(state) }
    } else if let what = Self.certain[first] {
      acknowledged += 1
      possible[what] = states
    } else if first == "closed" {
      // It ended by itself, as it should at times.
    } else if possible[first] != nil {
      possible[first]?.append(contentsOf: states)
    } else {
      problems.append("unknown: \(line)")
    }
  }

  private mutating func found(_ state: String) {
    let parts = state.split(separator: "=").map(String.init)
    guard parts.count == 2, let states = possible[parts[0]] else { return problems.append("unknown: \(state)") }
    if !states.contains(parts[1]) && !states.contains("*") {
      problems.append("\(parts[0]) is \(parts[1]), and only \(states.joined(separator: " or ")) may be found")
    }
    possible[parts[0]] = [parts[1]]
  }

  /// The positions that may be the log's last.
  var heads: [Int] {
    (possible["log"] ?? []).compactMap { $0.split(separator: "@").last.flatMap { Int($0) } }
  }
}
