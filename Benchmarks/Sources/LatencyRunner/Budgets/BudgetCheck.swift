/// What was measured, held against the budgets.
struct BudgetCheck {
  struct Line: Equatable {
    let name: String
    let count: Count
    let measured: Double
    /// `nil` if there is none yet.
    let budget: Double?

    var isExceeded: Bool {
      guard let budget else { return true }
      return measured > budget * count.tolerance + count.grain
    }

    /// Whether the budget can fall.
    var isBelow: Bool { budget.map { measured + count.grain < $0 / count.tolerance } ?? false }
  }

  let lines: [Line]

  init(_ measured: [String: Counts], against file: BudgetFile) {
    lines = measured.keys.sorted().flatMap { name in
      Count.allCases.compactMap { count in
        measured[name]?[count].map {
          Line(name: name, count: count, measured: $0, budget: file.budgets[name]?[count])
        }
      }
    }
  }

  var exceeded: [Line] { lines.filter(\.isExceeded) }

  /// Whether a count is over its budget, and not only without one.
  var hasExceededBudgets: Bool { exceeded.contains { $0.budget != nil } }

  /// The counts that are over their budgets come last.
  var text: [String] {
    (lines.filter { !$0.isExceeded } + exceeded).map { line in
      let budget = line.budget.map(Numbers.exact) ?? "none"
      let verdict = line.isExceeded ? "OVER" : line.isBelow ? "below" : "ok"
      let share = line.budget.map { $0 > 0 ? " (\(Numbers.fixed(line.measured / $0 * 100 - 100, 1)) %)" : "" } ?? ""
      return "\(verdict.filled(to: 6))\(line.name.filled(to: 18))\(line.count.rawValue.filled(to: 13))"
        + "\(Numbers.exact(line.measured)) of \(budget)\(share)"
    } + ["\(lines.count) counts, \(exceeded.count) over their budgets"]
  }
}

extension Count {
  /// How many times its budget a count may be.
  var tolerance: Double { self == .buildTime ? 1.25 : 1.01 }

  /// A difference that is none.
  var grain: Double {
    switch self {
    // Which rounds touch a new page differs from run to run.
    case .faults, .calls: 2
    // A restore writes the number of its process in two places, as decimals. A late process has two digits more.
    case .bytes: 4
    // Under strace, threads take turns otherwise now and then.
    case .waits: 0.5
    case .instructions, .flushes, .size, .text, .relocations, .buildTime: 0.005
    }
  }
}

extension String {
  fileprivate func filled(to width: Int) -> String { self + String(repeating: " ", count: max(1, width - count)) }
}
