import RepriseLMDB

/// The result of ``StoreMaintenance/check(_:)``.
public struct CheckReport: Sendable {
  /// The number of pages of the file according to its meta page, including free pages.
  public let pages: Int
  /// The number of free pages.
  public let freePages: Int
  /// The size of a page in bytes; 0 if it cannot be determined.
  public let pageSize: Int
  /// The problems found, at most 100.
  public let problems: [Problem]

  /// Whether there are no problems. If true, opening and reading the store cannot crash the process.
  public var isSound: Bool { problems.isEmpty }

  /// A defect in the structure of the file.
  public struct Problem: Sendable, Equatable {
    /// The kind of structure that has the defect.
    public enum Kind: Sendable, Hashable {
      /// One of the two meta pages, which lead to all other pages.
      case metaPage
      /// A page that is missing, does not match the reference to it, or has entries that exceed it.
      case page
      /// Keys out of order, branches of different depths, or numbers of pages or rows that differ from the recorded
      /// numbers.
      case tree
      /// Pages that are used twice, that are both used and free, or that are neither.
      case use
      /// A table that is missing, or is not a table.
      case table
    }

    /// The kind of structure that has the defect.
    public let kind: Kind
    /// The number of the page, from 0. The page's offset in the file is this number times the page size. `nil` if the
    /// problem does not concern a single page.
    public let page: UInt?
    /// The table with the defect; `nil` if the problem does not concern a single table.
    public let table: String?
    /// The reason, as part of a sentence.
    public let reason: String
  }
}

extension CheckReport: CustomStringConvertible {
  /// The counts, one line for each problem, and the next step.
  public var description: String {
    let counts = "\(counted(pages, "page")) of \(pageSize) bytes, \(freePages) of them free"
    if isSound { return "Sound: \(counts)." }
    let advice =
      "Do not open the store. Restore a backup, or let `StoreMaintenance.salvage(_:to:)` make a new store of the rest."
    // Without readable meta pages, no page was counted.
    let place = pages == 0 ? ":" : " in \(counts):"
    let lines = [counted(problems.count, "problem") + place] + problems.map { "\($0)." } + [advice]
    return lines.joined(separator: "\n")
  }
}

extension CheckReport.Problem: CustomStringConvertible {
  /// The page and the table, and the reason, without a full stop. For example, "page 7, table 'log': …".
  public var description: String {
    let places = [page.map { "page \($0)" }, table.map { "table '\($0)'" }].compactMap { $0 }
    return places.isEmpty ? reason : "\(places.joined(separator: ", ")): \(reason)"
  }
}

extension CheckReport {
  init(_ report: StructureReport, requiring tables: [String]) {
    pages = report.pages
    freePages = report.freePages
    pageSize = report.pageSize
    var problems = report.problems.map(Problem.init)
    if problems.isEmpty {
      for name in tables where !report.tables.contains(where: { $0.name == name }) {
        problems.append(Problem(kind: .table, page: nil, table: name, reason: "it is missing"))
      }
    }
    self.problems = problems
  }
}

extension CheckReport.Problem {
  fileprivate init(_ problem: StructureProblem) {
    kind =
      switch problem.kind {
      case .metaPage: .metaPage
      case .missingPage, .pageNumber, .pageKind, .bounds, .node: .page
      case .keyOrder, .depth, .count: .tree
      case .usedTwice, .freeList, .lostPages: .use
      case .table: .table
      }
    page = problem.page
    table = problem.table
    reason = "\(problem.reason)"
  }
}
