import Foundation

/// Writes a run into a document, between two markers: figures in prose would be copied wrongly or grow old.
struct Document {
  static let begin = "<!-- figures: begin (written by make bench, not by hand) -->"
  static let end = "<!-- figures: end -->"

  let figures: [Figure]
  let profile: Plan.Profile
  let machine: [String]

  /// Charts and the whole figures go to a folder beside the document that has its name.
  func write(to path: String) throws {
    let folder = (path as NSString).deletingPathExtension
    let charts = try RestoreCharts(figures: figures).write(to: folder)
    let raw = "figures.jsonl"
    let lines = figures.map { JSONLine.text($0) + "\n" }.joined()
    try lines.write(toFile: folder + "/" + raw, atomically: true, encoding: .utf8)
    let name = (folder as NSString).lastPathComponent
    let section = section(charts: charts.map { "\(name)/\($0)" }, raw: "\(name)/\(raw)")
    let text = try String(contentsOfFile: path, encoding: .utf8)
    try Self.replace(in: text, with: section).write(toFile: path, atomically: true, encoding: .utf8)
  }

  static func replace(in text: String, with section: String) throws -> String {
    guard let start = text.range(of: begin), let stop = text.range(of: end), start.upperBound <= stop.lowerBound else {
      throw BenchmarkError.failed("the document lacks the markers '\(begin)' and '\(end)'")
    }
    return text[..<start.upperBound] + "\n\n" + section + "\n" + text[stop.lowerBound...]
  }

  func section(charts: [String], raw: String) -> String {
    let kind = profile == .quick ? "A quick run, without the largest sizes" : "A full run"
    var lines = ["\(kind), on:", ""]
    lines += machine.map { "- \($0)" }
    lines += [""] + Self.aboutRows
    lines += ["Minima, 99th percentiles and numbers of samples: [\(raw)](\(raw)).", ""] + rows
    for chart in charts { lines += ["", "![\(chart)](\(chart))"] }
    lines += ["", "### Measured beside the rows", ""] + Self.aboutParts + [""] + beside
    lines += ["", "### Where a restore's time goes", ""] + Self.aboutStages + [""] + stages
    return lines.joined(separator: "\n") + "\n"
  }

  private static let aboutRows = [
    "All figures are medians. The figure in brackets is the cost of a peer divided by the cost of `reprise`. If it is",
    "below 1, the peer costs less. For a figure per second, half the figure is twice the cost.",
  ]

  private static let aboutParts = ["The table of parts above defines the parts. All figures are medians."]

  private static let aboutStages = [
    "The columns are the stages of a restore, which the table of stages above defines. `after main` is the time of all",
    "stages but `main`. All figures are medians, so the stages of a row need not add up to its `after main`.",
  ]

  private var rows: [String] {
    let peers = Peer.allCases.filter { peer in figures.contains { $0.peer == peer } }
    var names: [String] = []
    for figure in figures where names.last != figure.row.name && !names.contains(figure.row.name) {
      names.append(figure.row.name)
    }
    return [
      Self.line(["row", "work, and its unit"] + peers.map(\.rawValue)),
      Self.line(["---", "---"] + peers.map { _ in "---:" }),
    ]
      + names.map { name in
        let row = figures.filter { $0.row.name == name }
        let unit = row[0].row.unit
        let meaning = unit == .count ? row[0].row.meaning : "\(row[0].row.meaning), \(unit.label)"
        return Self.line(["`\(name)`", meaning] + peers.map { peer in cell(row.first { $0.peer == peer }) })
      }
  }

  private func cell(_ figure: Figure?) -> String {
    guard let figure else { return "–" }
    switch figure.outcome {
    case .skipped(let reason): return "skipped: \(reason)"
    case .measured(let summary):
      let factor = figure.peer == .reprise ? nil : Table.costAgainstReprise(figure, figures)
      return Numbers.text(summary.median) + (factor.map { " (\(Numbers.factor($0)))" } ?? "")
    }
  }

  private var beside: [String] {
    let others = figures.filter { $0.parts[RestoreStages.afterMain] == nil }
    let keys = others.flatMap { figure in figure.parts.keys.sorted().map { [figure.row.name, $0] } }
    let unique = keys.enumerated().filter { index, key in keys.firstIndex(of: key) == index }.map(\.element)
    let peers = Peer.allCases.filter(\.hasStore)
    return [
      Self.line(["row", "part, µs"] + peers.map(\.rawValue)), Self.line(["---", "---"] + peers.map { _ in "---:" }),
    ]
      + unique.map { key in
        let cells = peers.map { peer in
          others.first { $0.row.name == key[0] && $0.peer == peer }?.parts[key[1]].map(Numbers.text) ?? "–"
        }
        return Self.line(["`\(key[0])`", Self.parts[key[1]].map { "\(key[1]): \($0)" } ?? key[1]] + cells)
      }
  }

  /// The work of a part, for readers of the table.
  private static let parts = [
    "close": "closing the store", "one": "an attribute of an object that is not in memory",
    "hit": "an attribute of an object in memory", "edit": "making the edits, objects found by ID",
    "edit-live": "making the edits, objects in memory", "scanned": "the list by a scan of the table",
  ]

  /// Medians of each stage.
  private var stages: [String] {
    let columns = RestoreStages.names + [RestoreStages.afterMain]
    let measured = figures.filter { $0.parts[RestoreStages.afterMain] != nil && $0.row.name.contains(".100k") }
    return [
      Self.line(["row", "peer"] + columns.map { $0 + ", µs" } + ["anonymous memory, KiB"]),
      Self.line(["---", "---"] + columns.map { _ in "---:" } + ["---:"]),
    ]
      + measured.map { figure in
        let times = columns.map { figure.parts[$0].map(Numbers.text) ?? "–" }
        let memory = figure.parts[RestoreStages.anonymous].map { Numbers.text(($0 / 1_024).rounded()) } ?? "–"
        return Self.line(["`\(figure.row.name)`", figure.peer.rawValue] + times + [memory])
      }
  }

  private static func line(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |" }
}
