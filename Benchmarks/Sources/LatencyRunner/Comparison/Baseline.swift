import Foundation

/// The figures of an earlier run. Only their ratios are compared: machines differ.
struct Baseline: Equatable {
  struct Entry: Codable, Equatable {
    let name: String
    let peer: String
    let unit: Unit
    let median: Double

    /// Nil for a figure that is missing.
    init?(_ figure: Figure) {
      guard case .measured(let summary) = figure.outcome else { return nil }
      name = figure.row.name
      peer = figure.peer.rawValue
      unit = figure.row.unit
      median = (summary.median * 1_000).rounded() / 1_000
    }
  }

  let profile: Plan.Profile
  let entries: [Entry]

  init(_ figures: [Figure], profile: Plan.Profile) {
    self.profile = profile
    entries = figures.compactMap(Entry.init)
  }

  init(file: String) throws {
    guard let data = FileManager.default.contents(atPath: file) else {
      throw BenchmarkError.failed("\(file) cannot be read; make one with --save \(file)")
    }
    let stored = try JSONDecoder().decode(Stored.self, from: data)
    (profile, entries) = (stored.profile, stored.rows)
  }

  /// One row a line, so that a change shows which.
  func write(to file: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let rows = try entries.map { "    " + String(decoding: try encoder.encode($0), as: UTF8.self) }
    let text = "{\n  \"profile\": \"\(profile.rawValue)\",\n  \"rows\": [\n\(rows.joined(separator: ",\n"))\n  ]\n}\n"
    try text.write(toFile: file, atomically: true, encoding: .utf8)
  }

  private struct Stored: Codable {
    let profile: Plan.Profile
    let rows: [Entry]
  }
}
