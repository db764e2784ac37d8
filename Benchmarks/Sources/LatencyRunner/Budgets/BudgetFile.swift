import Foundation

/// The most that each thing may cost: `Benchmarks/budgets.json`.
struct BudgetFile: Equatable {
  /// By name and count.
  private(set) var budgets: [String: Counts] = [:]

  init(_ budgets: [String: Counts] = [:]) { self.budgets = budgets }

  init(file: String) throws {
    guard let data = FileManager.default.contents(atPath: file) else {
      throw BenchmarkError.failed("\(file) cannot be read; write one with --write")
    }
    for (name, counts) in try JSONDecoder().decode([String: [String: Double]].self, from: data) {
      budgets[name] = try counts.reduce(into: [:]) { counts, entry in
        guard let count = Count(rawValue: entry.key) else {
          throw BenchmarkError.failed("\(file): '\(name)' has a budget for '\(entry.key)', which nothing counts")
        }
        counts[count] = entry.value
      }
    }
  }

  /// One thing a line, so that a change shows which.
  func write(to file: String) throws {
    let lines = budgets.keys.sorted().map { name in
      let counts = Count.allCases.compactMap { count in
        budgets[name]?[count].map { "\"\(count.rawValue)\": \(Numbers.exact($0))" }
      }
      return "  \"\(name)\": { \(counts.joined(separator: ", ")) }"
    }
    try "{\n\(lines.joined(separator: ",\n"))\n}\n".write(toFile: file, atomically: true, encoding: .utf8)
  }

  /// Takes over what was measured; of other things the budgets stay.
  ///
  /// - Parameter onlyLower: Whether a budget that was exceeded stays as well.
  mutating func take(_ measured: [String: Counts], onlyLower: Bool) {
    for (name, counts) in measured {
      budgets[name, default: [:]].merge(counts) { onlyLower ? Swift.min($0, $1) : $1 }
    }
  }
}

extension Numbers {
  /// Without a fraction where there is none; otherwise two decimals.
  static func exact(_ value: Double) -> String {
    value == value.rounded() ? String(Int(value)) : fixed(value, 2)
  }
}
