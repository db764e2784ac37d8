import ArgumentParser
import Foundation

/// A program that measures a selection of the rows. The programs differ in that alone.
public struct LatencyCommand<Selection: RowSelection>: ParsableCommand {
  public static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: Selection.program,
      abstract: "Measures Reprise, GRDB and bare LMDB at \(Selection.subject), in one interleaved run.")
  }

  public init() {}

  @Flag(help: "Within minutes, stores included: without the largest sizes, with fewer samples.")
  var quick = false

  @Option(help: ArgumentHelp("Only rows whose names begin so; may be repeated.", valueName: "name"))
  var only: [String] = []

  @Option(help: ArgumentHelp("Only this peer; may be repeated.", valueName: "peer"))
  var peer: [Peer] = []

  @Option(help: "How figures are written to standard output; json is one object a line.")
  var format = OutputFormat.table

  @Flag(help: "Names the rows, and measures nothing.")
  var list = false

  @Option(help: ArgumentHelp("Draws the charts into this folder.", valueName: "folder"))
  var charts: String?

  @Option(help: ArgumentHelp("Writes figures and charts into this document.", valueName: "file"))
  var document: String?

  @Option(help: ArgumentHelp("Saves the medians as a baseline.", valueName: "file"))
  var save: String?

  @Option(help: ArgumentHelp("Holds the ratios against this baseline; fails if one is worse.", valueName: "file"))
  var compare: String?

  @Option(help: "By how many times a ratio of times may be worse than the baseline's.")
  var tolerance = 1.5

  @Flag(help: "Takes stores that another build of a worker has made.")
  var keepStores = false

  @Option(help: ArgumentHelp("Where workers are and stores are kept.", valueName: "folder"))
  var folder = "Benchmarks/.build"

  private var plan: Plan { Plan(profile: quick ? .quick : .full) }

  private var selected: [Row] { plan.rows.filter { Selection.includes($0.name) } }

  /// The rows that the options ask for, in the order of the plan.
  var rows: [Row] {
    selected.filter { row in only.isEmpty || only.contains { row.name.hasPrefix($0) } }
  }

  public func validate() throws {
    for name in only where !selected.contains(where: { $0.name.hasPrefix(name) }) {
      throw ValidationError("no row\(quick ? " of a quick run" : "") begins with '\(name)'; --list names them")
    }
    if tolerance < 1 { throw ValidationError("a tolerance is 1 or more") }
  }

  public func run() throws {
    if list {
      for row in rows { print("\(row.name)\t\(row.unit.rawValue)\t\(row.meaning)") }
      return
    }
    let baseline = try compare.map(Baseline.init(file:))
    if let baseline, baseline.profile != plan.profile {
      throw BenchmarkError.failed("the baseline is of a \(baseline.profile.rawValue) run, this is none")
    }
    let figures = try measure(rows(comparedWith: baseline))
    if let charts { _ = try RestoreCharts(figures: figures).write(to: charts) }
    if let document {
      try Document(figures: figures, profile: plan.profile, machine: Machine.lines(stores: folder)).write(to: document)
    }
    let run = Baseline(figures, profile: plan.profile)
    if let save { try run.write(to: save) }
    if let baseline { try report(Comparison(run, against: baseline, tolerance: tolerance)) }
    // A machine may lack something; a worker that fails is a fault.
    if figures.contains(where: \.isFault) { throw ExitCode.failure }
  }

  /// A comparison that saves nothing measures no row that the baseline lacks.
  func rows(comparedWith baseline: Baseline?) throws -> [Row] {
    guard let baseline, save == nil, document == nil, charts == nil else { return rows }
    let known = Set(baseline.entries.map(\.name))
    let shared = rows.filter { known.contains($0.name) }
    if shared.isEmpty { throw BenchmarkError.failed("the baseline has none of the rows") }
    return shared
  }

  private func measure(_ rows: [Row]) throws -> [Figure] {
    let workers = Workers(folder: folder + "/workers")
    let stores = try StoreCache(folder: folder + "/stores", workers: workers, keepsOld: keepStores)
    let samplers = Samplers(plan: plan, workers: workers, stores: stores, agreement: Agreement())
    Progress.note(Scheduling.note)
    let measurement = Measurement { figures in
      // Not by print, which keeps lines back from a pipe: a long run can be watched.
      if format == .json {
        for figure in figures { FileHandle.standardOutput.write(Data((JSONLine.text(figure) + "\n").utf8)) }
      }
    }
    let figures = measurement.run(samplers.groups(rows, peer.isEmpty ? Peer.allCases : peer))
    if format == .table {
      for line in Machine.lines(stores: folder) + [""] + Table.lines(figures) { print(line) }
    }
    return figures
  }

  /// On standard error beside JSON, which has standard output to itself.
  private func report(_ comparison: Comparison) throws {
    for line in ComparisonReport.lines(comparison) {
      if format == .json { Progress.note(line) } else { print(line) }
    }
    if !comparison.worse.isEmpty { throw ExitCode.failure }
  }
}

/// How figures are written.
enum OutputFormat: String, ExpressibleByArgument {
  case table
  case json
}

extension Peer: ExpressibleByArgument {}
